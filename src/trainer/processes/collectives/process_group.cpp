// Declares LibTorch's Gloo backend, which its library has, but which its headers leave out by default.
#define USE_C10D_GLOO

#include "processes/collectives/process_group.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <sstream>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>

#include "processes/collectives/error_text.h"
#include "processes/collectives/rendezvous.h"

namespace translate::trainer {

namespace {

/// Gloo's own limit for an operation. It is longer than any run: this project decides by signs of life, because an
/// operation may wait for a process that is encoding a corpus.
constexpr auto kNoLimit = std::chrono::hours(24 * 365);
constexpr auto kPoll = std::chrono::milliseconds(200);
constexpr int kSilentBatches = 10;

/// Returns Gloo's device: the interface that GLOO_SOCKET_IFNAME names, or else the address of this host's name.
std::shared_ptr<gloo::transport::Device> gloo_device() {
  const auto interface = environment_variable("GLOO_SOCKET_IFNAME");
  return interface ? c10d::ProcessGroupGloo::createDeviceForInterface(*interface)
                   : c10d::ProcessGroupGloo::createDefaultDevice();
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

at::Tensor bytes_of(const std::string& text) {
  auto bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
  std::copy(text.begin(), text.end(), bytes.mutable_data_ptr<std::uint8_t>());
  return bytes;
}

std::string text_of(const at::Tensor& bytes, std::int64_t size) {
  const auto* data = bytes.const_data_ptr<std::uint8_t>();
  return {data, data + size};
}

}  // namespace

ProcessGroup::ProcessGroup(const ProcessPlace& place, const ProcessLimits& limits)
    : place_(place), limits_(limits), host_(host_name()) {
  if (!is_alone()) {
    join(limits);
  }
}

void ProcessGroup::join(const ProcessLimits& limits) {
  store_ = connect_store(place_, limits);
  wait_for_processes(*store_, place_, limits);
  watch_ = std::make_unique<NeighbourWatch>(store_->clone(), place_.rank, place_.size, host_);
  const auto options = c10d::ProcessGroupGloo::Options::create(limits.start);
  try {
    options->devices.push_back(gloo_device());
    const auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(store_, place_.rank, place_.size, options);
    backend->setTimeout(kNoLimit);
    backend_ = backend;
  } catch (const std::exception& error) {
    throw RuntimeError(fmt::format(
        "rank {} of {} cannot connect to the other processes: {}. GLOO_SOCKET_IFNAME names the network interface to "
        "use (\"eth0\"); without it, the address of this host's name is taken, which must be reachable for the others",
        place_.rank, place_.size, one_line(error)));
  }
}

ProcessGroup::~ProcessGroup() {
  if (is_alone() || !backend_) {
    return;
  }
  if (failed_ || std::uncaught_exceptions() > 0) {
    // Its destructor would wait for operations that may never end.
    static_cast<void>(backend_.release());
    return;
  }
  watch_->leave_together();
}

void ProcessGroup::throw_lost(const ProcessFailure& failure) {
  failed_ = true;
  watch_->record(failure);
  throw ProcessLost(
      {.message = fmt::format("rank {} on host {} stops at step {}: {}", place_.rank, host_, step_, failure.message),
       .exit_code = failure.exit_code});
}

ProcessGroup::Operation ProcessGroup::start_sum(at::Tensor tensor) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return start(tensors.front(), [&](c10d::Backend& backend) { return backend.allreduce(tensors); });
}

ProcessGroup::Operation ProcessGroup::start_gather(at::Tensor all, at::Tensor own) {
  if (is_alone()) {
    all.copy_(own);
    return nullptr;
  }
  return start(own, [&](c10d::Backend& backend) { return backend._allgather_base(all, own); });
}

ProcessGroup::Operation ProcessGroup::start_exchange(at::Tensor received, at::Tensor sent) {
  if (is_alone()) {
    received.copy_(sent);
    return nullptr;
  }
  std::vector<std::int64_t> equal_parts;
  return start(sent,
               [&](c10d::Backend& backend) { return backend.alltoall_base(received, sent, equal_parts, equal_parts); });
}

bool ProcessGroup::has_ended(const Operation& operation) { return !operation || operation->isCompleted(); }

void ProcessGroup::wait(const Operation& operation) {
  if (!operation) {
    return;
  }
  if (device_ && device_->has_started(operation)) {
    wait_for_device(operation);
    return;
  }
  while (!operation->isCompleted()) {
    try {
      operation->wait(kPoll);
    } catch (const std::exception&) {
      // The time is over, or the operation has failed, which is seen below.
    }
    check_neighbours();
  }
  if (operation->exception()) {
    throw_lost(watch_->find_lost_process());
  }
  watch_->progress();
}

void ProcessGroup::sum(const at::Tensor& tensor) { wait(start_sum(tensor)); }

void ProcessGroup::copy_from_first(const std::vector<at::Tensor>& tensors) {
  for (const auto& tensor : tensors) {
    std::vector<at::Tensor> one{tensor};
    wait(start(tensor, [&](c10d::Backend& backend) { return backend.broadcast(one); }));
  }
}

at::Tensor ProcessGroup::gather_bytes(const at::Tensor& bytes, std::int64_t longest) {
  auto padded = at::zeros({longest}, at::kByte);
  padded.narrow(/*dim=*/0, /*start=*/0, bytes.size(0)).copy_(bytes);
  const auto all = at::empty({size() * longest}, at::kByte);
  wait(start_gather(all, padded));
  return all.view({size(), longest});
}

std::vector<std::string> ProcessGroup::gather_texts(const std::string& text) {
  auto sizes = at::zeros({size()}, at::kLong);
  sizes[rank()].fill_(static_cast<std::int64_t>(text.size()));
  sum(sizes);
  const auto longest = std::max<std::int64_t>(sizes.max().item<std::int64_t>(), 1);
  const auto all = gather_bytes(bytes_of(text), longest);
  std::vector<std::string> texts;
  for (int i = 0; i < size(); ++i) {
    texts.push_back(text_of(all[i], sizes[i].item<std::int64_t>()));
  }
  return texts;
}

std::vector<std::string> ProcessGroup::gather_lists(const std::vector<std::string>& texts) {
  std::string sizes;
  std::string joined;
  for (const auto& text : texts) {
    sizes += fmt::format("{} ", text.size());
    joined += text;
  }
  const auto all_sizes = gather_texts(sizes);
  const auto all_joined = gather_texts(joined);
  std::vector<std::string> all;
  for (std::size_t rank = 0; rank < all_joined.size(); ++rank) {
    std::istringstream numbers(all_sizes[rank]);
    std::size_t begin = 0;
    for (std::size_t size = 0; numbers >> size; begin += size) {
      all.push_back(all_joined[rank].substr(begin, size));
    }
  }
  return all;
}

std::string ProcessGroup::text_of_first(const std::string& text) {
  auto length = at::scalar_tensor(static_cast<std::int64_t>(text.size()), at::kLong).reshape({1});
  copy_from_first({length});
  const auto longest = length.item<std::int64_t>();
  auto bytes = is_first() ? bytes_of(text) : at::empty({longest}, at::kByte);
  if (longest > 0) {
    copy_from_first({bytes});
  }
  return text_of(bytes, longest);
}

void ProcessGroup::wait_for_all() { sum(at::zeros({1})); }

void ProcessGroup::in_turns(const std::function<void()>& work) {
  const int turn = is_first() ? 0 : place_.local_rank == 0 ? 1 : 2;
  constexpr int kTurns = 3;
  for (int now = 0; now < kTurns; ++now) {
    if (now == turn) {
      const auto long_work = this->long_work();
      work();
    }
    wait_for_all();
  }
}

void ProcessGroup::progress(std::int64_t step) {
  step_ = step;
  if (watch_) {
    watch_->progress(step);
  }
}

void ProcessGroup::note_batch(std::chrono::duration<double> duration) {
  longest_batch_ = std::max(longest_batch_, duration);
}

std::chrono::milliseconds ProcessGroup::silence_limit() const {
  const auto batches = std::chrono::duration_cast<std::chrono::milliseconds>(kSilentBatches * longest_batch_);
  return std::max<std::chrono::milliseconds>(limits_.silence, batches);
}

void ProcessGroup::check_neighbours() {
  if (!watch_) {
    return;
  }
  watch_->progress();
  if (const auto failure = watch_->failure(silence_limit())) {
    throw_lost(*failure);
  }
}

void ProcessGroup::fail(const std::exception& error) noexcept {
  if (!watch_ || failed_) {
    return;
  }
  failed_ = true;
  try {
    const auto* known = dynamic_cast<const Error*>(&error);
    const auto code = known != nullptr ? known->exit_code() : ExitCode::kFailed;
    watch_->record({.message = fmt::format("the process of rank {} on host {} ended at step {}: {}", rank(), host_,
                                           step_, error.what()),
                    .exit_code = static_cast<int>(code)});
  } catch (const std::exception&) {
    // Without a record, the others find this process missing.
  }
}

}  // namespace translate::trainer

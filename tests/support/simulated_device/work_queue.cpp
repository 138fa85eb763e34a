#include "support/simulated_device/work_queue.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace translate::simulated {

namespace {

constexpr int kPoison = 0xFF;

std::string_view name_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::kValue:
      return "a value was read";
    case WaitKind::kCopyToHost:
      return "a copy to the host";
    case WaitKind::kCopyToDevice:
      return "a copy to the device";
    case WaitKind::kPageableMemory:
      return "an asynchronous copy with memory that is not pinned";
    case WaitKind::kSizeOfResult:
      return "a result whose size depends on values";
    case WaitKind::kSynchronisation:
      return "a synchronisation";
  }
  return "";
}

/// FNV-1a over the bytes of a contiguous tensor.
std::uint64_t checksum_of(const at::Tensor& tensor) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  const auto* bytes = static_cast<const unsigned char*>(tensor.const_data_ptr());
  for (std::size_t i = 0; i < tensor.nbytes(); ++i) {
    sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
  }
  return sum;
}

}  // namespace

std::string Wait::text() const { return fmt::format("{} ({}):\n{}", name_of(kind), operation, stack.text()); }

std::string Hazard::text() const { return fmt::format("{}; the copy was enqueued at:\n{}", what, stack.text()); }

void WorkQueue::add(Copy copy) {
  copy.checksum = checksum_of(copy.host);
  in_flight_.push_back(std::move(copy));
  ++newest_;
}

void WorkQueue::add_copy_to_device(const at::Tensor& source) {
  // Another tensor over the same memory: the caller's may be given other memory.
  add({.host = source.detach(), .content = {}, .checksum = 0, .stack = StackTrace::here()});
}

void WorkQueue::add_copy_to_host(const at::Tensor& content, const at::Tensor& destination) {
  std::memset(destination.mutable_data_ptr(), kPoison, destination.nbytes());
  add({.host = destination.detach(), .content = content, .checksum = 0, .stack = StackTrace::here()});
}

void WorkQueue::wait(WaitKind kind, std::string operation) {
  waits_.push_back({kind, std::move(operation), StackTrace::here()});
  finish();
}

void WorkQueue::finish() {
  for (const auto& copy : in_flight_) {
    const bool to_host = copy.content.defined();
    if (checksum_of(copy.host) != copy.checksum) {
      hazards_.push_back({to_host ? "the host wrote to memory that a copy from the device was about to fill"
                                  : "the host changed memory that the device was still copying",
                          copy.stack});
    }
    if (to_host) {
      std::memcpy(copy.host.mutable_data_ptr(), copy.content.const_data_ptr(), copy.host.nbytes());
    }
  }
  in_flight_.clear();
  done_ = newest_;
}

std::vector<Wait> WorkQueue::take_waits() { return std::exchange(waits_, {}); }

std::vector<Hazard> WorkQueue::take_hazards() { return std::exchange(hazards_, {}); }

}  // namespace translate::simulated

#include "tensors/device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Generator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>

#include "core/compute_device.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/libraries/library_folder.h"
#include "core/logging.h"
#include "core/threads.h"

namespace translate::trainer {

namespace {

/// Returns why CUDA cannot be used, or an empty string if it can. Loads libtorch_cuda.so from LibTorch's own folder on
/// the first call.
std::string load_cuda() {
  if (!has_nvidia_driver()) {
    return "this machine has no NVIDIA driver (libcuda.so.1)";
  }
  const auto library = folder_of_function(reinterpret_cast<void*>(&at::globalContext)) / "libtorch_cuda.so";
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return fmt::format(
        "LibTorch's CUDA part does not load ({}); `scripts/setup --cuda` installs what it needs, docs/install.md says "
        "how to add it to an installed copy",
        loader_problem());
  }
  // cuDNN's attention compiles a kernel for each new shape of a batch, which takes many times as long as the batch; the
  // two other fast ones, flash and memory-efficient attention, have theirs compiled.
  at::globalContext().setSDPUseCuDNN(false);
  return at::hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0 ? "" : "no GPU is visible to this process";
}

}  // namespace

c10::Device resolve_device(const std::string& name) {
  check_device_name(name);
  if (name == "cpu") {
    return {c10::kCPU};
  }
  if (name == "auto") {
    const auto reason = load_cuda();
    if (!reason.empty() && has_nvidia_driver()) {
      log_info(fmt::format("computing on the CPU, although this machine has an NVIDIA driver: {}", reason));
    }
    return reason.empty() ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
  }
  c10::Device device(name);
  if (const auto reason = load_cuda(); !reason.empty()) {
    throw RuntimeError(fmt::format("--device {}: {}", name, reason));
  }
  if (!device.has_index()) {
    device.set_index(0);
  }
  if (const auto count = at::detail::getCUDAHooks().deviceCount(); device.index() >= count) {
    throw RuntimeError(fmt::format("--device {}: this machine has {}, numbered from 0", name,
                                   counted(static_cast<std::uint64_t>(count), "GPU")));
  }
  return device;
}

c10::Device device_of_process(const c10::Device& device, int local_rank, int local_size) {
  if (device.is_cpu() || local_size == 1) {
    return device;
  }
  const int count = c10::impl::VirtualGuardImpl(device.type()).deviceCount();
  if (count < local_size) {
    throw ConfigError(
        fmt::format("{} processes on this machine need a GPU each, and {} can be seen (all of the machine's, unless "
                    "CUDA_VISIBLE_DEVICES or the launcher hides some): start {} process(es) here, or add --device cpu",
                    local_size, count, count));
  }
  return {device.type(), static_cast<c10::DeviceIndex>(local_rank)};
}

int set_threads(int threads) {
  const int wanted = set_kernel_threads(threads);
  at::set_num_threads(wanted);
  if (wanted > 1) {
    let_waiting_threads_sleep();
  }
  return wanted;
}

void let_waiting_threads_sleep() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) {
    return;
  }
  static std::once_flag once;
  std::call_once(once, [] {
    // GCC's OpenMP reads its settings before main() begins, but once it manages more threads than there are processors,
    // it waits hardly at all before it sleeps. A second team that never does anything causes this.
    std::promise<void> formed;
    std::thread keeper([&formed, size = std::max(2, static_cast<int>(std::thread::hardware_concurrency()))] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are for the program's own threads
      std::atomic<int> members{0};
#pragma omp parallel num_threads(size)
      ++members;
      formed.set_value();
      while (true) {
        std::this_thread::sleep_for(std::chrono::hours(24));
      }
    });
    keeper.detach();
    formed.get_future().wait();
  });
}

void seed_generators(std::uint64_t seed) { at::manual_seed(seed); }

std::uint64_t draw_key() {
  auto generator = at::globalContext().defaultGenerator(c10::kCPU);
  const std::scoped_lock lock(generator.mutex());
  return generator.get<at::CPUGeneratorImpl>()->random64();
}

AutocastGuard::AutocastGuard(const c10::Device& device, Precision precision)
    : device_(device.type()),
      was_enabled_(at::autocast::is_autocast_enabled(device_)),
      previous_type_(at::autocast::get_autocast_dtype(device_)) {
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, precision == Precision::kBf16);
  at::autocast::set_autocast_dtype(device_, c10::kBFloat16);
}

AutocastGuard::~AutocastGuard() {
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_dtype(device_, previous_type_);
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

}  // namespace translate::trainer

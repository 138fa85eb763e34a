#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

#include "config/options.h"

namespace translate::trainer {

/// Returns the device named `auto`, `cpu`, `cuda` or `cuda:N`. `auto` is CUDA if a GPU can be used, else the CPU (and
/// the reason is logged if there is an NVIDIA driver). Loads LibTorch's CUDA libraries when they are first needed, so
/// that work on the CPU never pays for them. Throws ConfigError for another name, and RuntimeError, which says why, if
/// CUDA is asked for and not available.
[[nodiscard]] c10::Device resolve_device(const std::string& name);

/// Returns the device of the process of number `local_rank` among the `local_size` processes of this machine that
/// compute on devices of the type of `device`: the CPU, or else each its own, in their order; one process alone has
/// `device` itself. Throws ConfigError if there are fewer devices than processes.
[[nodiscard]] c10::Device device_of_process(const c10::Device& device, int local_rank, int local_size);

/// Sets the number of threads of LibTorch's operators and of our own kernels; 0 = the processors this process may use.
/// Returns the number set.
int set_threads(int threads);

/// Makes LibTorch's threads sleep while they wait for each other. GCC's OpenMP lets them spin for some milliseconds
/// first, which on a machine with other work keeps the very threads that they wait for from running: training beside
/// other busy programs can then take several times as long. A choice made by OMP_WAIT_POLICY or GOMP_SPINCOUNT stands.
void let_waiting_threads_sleep();

/// Seeds LibTorch's default generators, of the CPU and, if it is loaded, of CUDA. They supply initial weights and
/// dropout.
void seed_generators(std::uint64_t seed);

/// Draws a number of 64 random bits from the CPU's default generator.
[[nodiscard]] std::uint64_t draw_key();

/// Sets autocast for the lifetime of the object: with kBf16 it is on (matrix products in bf16, the rest as LibTorch's
/// lists say), otherwise off.
/// Restores the previous settings, also when an exception passes, and clears the cache of cast weights, which goes
/// stale at the next update.
class AutocastGuard {
 public:
  AutocastGuard(const c10::Device& device, Precision precision);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType previous_type_;
};

}  // namespace translate::trainer

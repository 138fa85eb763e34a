#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

#include "config/options.h"

namespace translate {

/// The device named `auto`, `cpu`, `cuda` or `cuda:N`; `auto` is CUDA where a GPU can be used, else the CPU (with the
/// reason logged where there is an NVIDIA driver).
/// LibTorch's CUDA half is loaded here, on first need, so that work on the CPU never pays for it.
/// Throws ConfigError for another name, RuntimeError where CUDA is asked for and cannot be had (and why).
[[nodiscard]] c10::Device resolve_device(const std::string& name);

/// Sets the number of threads of LibTorch's operators and of our own kernels; 0 = the processors this process may use.
/// Returns the number set.
int set_threads(int threads);

/// Makes LibTorch's threads sleep when they wait for each other. GCC's OpenMP lets them spin for some milliseconds
/// first, which on a machine with other work to do keeps the very threads that they wait for from running: training
/// beside other busy programs can then take several times as long. A choice made by OMP_WAIT_POLICY or GOMP_SPINCOUNT
/// stands.
void let_waiting_threads_sleep();

/// The state of LibTorch's default generators, from which initial weights and dropout come.
struct RandomState {
  at::Tensor cpu;   ///< uint8, as LibTorch gives it
  at::Tensor cuda;  ///< the same for the GPU in use; undefined on the CPU
};

/// Seeds the default generators of the CPU and, where it is loaded, of CUDA.
void seed_generators(std::uint64_t seed);

/// A number from the CPU's default generator, each of its 64 bits at random.
[[nodiscard]] std::uint64_t draw_key();

/// Copies of the default generators' states, CUDA's where `device` is a GPU.
[[nodiscard]] RandomState capture_random_state(const c10::Device& device);

/// Sets them again. A state without a part for `device` leaves that generator as it is.
void restore_random_state(const RandomState& state, const c10::Device& device);

/// Autocast for the life of the object: matrix products in bf16, the rest as LibTorch's lists say. Restores what was
/// set before, also when an exception passes, and drops the cache of cast weights, which goes stale at the next update.
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

}  // namespace translate

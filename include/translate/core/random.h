#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace translate {

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

}  // namespace translate

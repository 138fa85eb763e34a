#pragma once

#include <c10/core/Device.h>

#include <string>

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

}  // namespace translate

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

/// TRANSLATE_AVX2 marks a function whose body may use AVX2, FMA and F16C instructions, whatever the build's own target;
/// call it only where has_vector_kernels() holds. TRANSLATE_AVX512 likewise: where has_avx512_kernels() holds, and what
/// is meant for bf16 (intrinsics that name it) where has_bf16_kernels() does. Nothing on other processors, where the
/// kernels have no vector part.
#if defined(__x86_64__) && defined(__GNUC__)
#define TRANSLATE_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TRANSLATE_AVX512 __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#define TRANSLATE_HAS_AVX2_CODE 1
#else
#define TRANSLATE_AVX2
#define TRANSLATE_AVX512
#define TRANSLATE_HAS_AVX2_CODE 0
#endif

#include <string>

namespace translate {

/// True where the processor has what the matrix kernels of this layer are written for: AVX2, FMA and F16C. Elsewhere
/// the model computes through LibTorch's operators.
[[nodiscard]] bool has_vector_kernels();

/// True where the kernels take vectors of 16 numbers: AVX-512 F, BW, DQ and VL besides.
[[nodiscard]] bool has_avx512_kernels();

/// True where the kernels multiply bf16 as well: AVX-512 BF16 besides. Elsewhere bf16 on the CPU goes through LibTorch,
/// which is many times slower than fp32 where the processor has no such arithmetic.
[[nodiscard]] bool has_bf16_kernels();

/// True where the kernels multiply bytes: AVX-512 VNNI besides.
[[nodiscard]] bool has_vnni_kernels();

/// What of these the kernels use: "avx2", "avx512", "avx512 bf16 vnni" and so on; "none" where there are no kernels.
[[nodiscard]] std::string kernel_instructions();

/// The environment variable that keeps the kernels from instructions that the processor has: `avx2` or `avx512`
/// (without BF16 and VNNI). For measuring, and to see a result as another machine gives it. Read once; other values are
/// ignored.
inline constexpr const char* kInstructionsVariable = "TRANSLATE_INSTRUCTIONS";

/// Whether this machine has NVIDIA's driver (libcuda.so.1), which is loaded by this; without it no GPU can be used.
[[nodiscard]] bool has_nvidia_driver();

/// How many processors this process may keep busy, at least 1: those it may be scheduled on (taskset, cpusets) or what
/// its control groups' CPU quota allows, rounded up, whichever is less.
[[nodiscard]] int available_processors();

/// The CPU quota of this process's control groups (version 1 or 2, the tightest from its own group up to the root) in
/// processors, e.g. 1.5, or nothing where there is none. `root` is the file system's root; tests give another.
[[nodiscard]] std::optional<double> cgroup_processors(const std::filesystem::path& root = "/");

/// Sets how many threads this project's own kernels compute with; 0 = available_processors(). Returns the number set.
/// Where LibTorch's operators compute as well: set_threads (core/device.h).
int set_kernel_threads(int threads);

/// That number; available_processors() before it was set.
[[nodiscard]] int kernel_threads();

/// Calls work(i) once for each i in [0, count), on kernel_threads() threads, in no certain order: each thread takes the
/// next free index when it is done with its last, so that a thread which the system holds up for a while delays the
/// others by one chunk of work at most. What `work` throws is thrown here, after the others ended.
void parallel_chunks(std::int64_t count, const std::function<void(std::int64_t)>& work);

/// The same for [0, count) in ranges of `size` (the last one may be shorter): work(begin, end) once for each.
void parallel_ranges(std::int64_t count, std::int64_t size,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work);

/// How many threads parallel_chunks may use: 1 inside of its chunks.
[[nodiscard]] std::int64_t parallel_threads();

}  // namespace translate

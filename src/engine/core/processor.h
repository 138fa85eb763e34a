#pragma once

#include <filesystem>
#include <optional>
#include <string>

/// TRANSLATE_AVX2 marks a function whose body may use AVX2, FMA and F16C instructions, independent of the build's
/// target; call it only if has_avx2_kernels(). TRANSLATE_AVX512 does the same for AVX-512: call such a function only
/// if has_avx512_kernels(), and one with bf16 intrinsics only if has_bf16_kernels(). Both are empty on other
/// processors, for which each kernel is plain C++.
#if defined(__x86_64__) && defined(__GNUC__)
#define TRANSLATE_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TRANSLATE_AVX512 __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#define TRANSLATE_HAS_AVX2_CODE 1
#else
#define TRANSLATE_AVX2
#define TRANSLATE_AVX512
#define TRANSLATE_HAS_AVX2_CODE 0
#endif

/// TRANSLATE_DOT, TRANSLATE_I8MM and TRANSLATE_ARM_BF16 do the same on ARM64 for dot products of bytes, and for matrix
/// products of bytes and of bf16: call them only if has_dot_kernels(), has_i8mm_kernels() or has_bf16_kernels(). Every
/// ARM64 has vectors of 4 numbers (NEON).
#if defined(__aarch64__) && defined(__GNUC__)
#define TRANSLATE_DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#define TRANSLATE_I8MM __attribute__((target("arch=armv8.2-a+dotprod+i8mm")))
#define TRANSLATE_ARM_BF16 __attribute__((target("arch=armv8.2-a+bf16")))
#define TRANSLATE_HAS_NEON_CODE 1
#else
#define TRANSLATE_HAS_NEON_CODE 0
#endif

namespace translate {

/// True if the kernels use vectors of 8 numbers: requires AVX2, FMA and F16C. Otherwise they are plain C++, compiled
/// for the processors on which the whole program runs.
[[nodiscard]] bool has_avx2_kernels();

/// True if the kernels use vectors of 16 numbers: requires AVX-512 F, BW, DQ and VL, too.
[[nodiscard]] bool has_avx512_kernels();

/// True if the kernels multiply bf16 by the processor's instructions: requires AVX-512 BF16, too, or BF16 of ARM64.
/// Otherwise plain C++ does it, several times slower than fp32.
[[nodiscard]] bool has_bf16_kernels();

/// True if the kernels multiply bytes: requires AVX-512 VNNI, too.
[[nodiscard]] bool has_vnni_kernels();

/// True if the kernels multiply bytes with NEON: on every ARM64.
[[nodiscard]] bool has_neon_kernels();

/// True if they do so by dot products of four bytes (SDOT of ARMv8.2).
[[nodiscard]] bool has_dot_kernels();

/// True if they do so by products of 2 x 8 and 8 x 2 bytes (USMMLA of ARMv8.6): has_dot_kernels(), too.
[[nodiscard]] bool has_i8mm_kernels();

/// The instruction sets that the kernels use: "avx2", "avx512", "avx512 bf16 vnni", "neon dot i8mm" and so on;
/// "baseline" for plain C++.
[[nodiscard]] std::string kernel_instructions();

/// The environment variable that limits the kernels' instructions: `baseline` (plain C++), `avx2` or `avx512` (without
/// BF16 and VNNI); on ARM64 `neon`, or `dot` (without I8MM and BF16). For measurements, and to reproduce the result of
/// another machine. Read once; other values are ignored.
inline constexpr const char* kInstructionsVariable = "TRANSLATE_INSTRUCTIONS";

/// The number of processors that this process may keep busy, at least 1: the smaller of its affinity mask (taskset,
/// cpusets) and its control groups' CPU quota, rounded up.
[[nodiscard]] int available_processors();

/// The CPU quota of this process's control groups (version 1 or 2, the tightest from its own group up to the root) in
/// processors, e.g. 1.5, or nothing if there is none. `root` is the file system's root; tests give another.
[[nodiscard]] std::optional<double> cgroup_processors(const std::filesystem::path& root = "/");

}  // namespace translate

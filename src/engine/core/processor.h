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

namespace translate {

/// True if the kernels use vectors of 8 numbers: requires AVX2, FMA and F16C. Otherwise they are plain C++, compiled
/// for the processors on which the whole program runs.
[[nodiscard]] bool has_avx2_kernels();

/// True if the kernels use vectors of 16 numbers: requires AVX-512 F, BW, DQ and VL, too.
[[nodiscard]] bool has_avx512_kernels();

/// True if the kernels multiply bf16 by the processor's instructions: requires AVX-512 BF16, too. Otherwise plain C++
/// does it, several times slower than fp32.
[[nodiscard]] bool has_bf16_kernels();

/// True if the kernels multiply bytes: requires AVX-512 VNNI, too.
[[nodiscard]] bool has_vnni_kernels();

/// The instruction sets that the kernels use: "avx2", "avx512", "avx512 bf16 vnni" and so on; "baseline" for plain C++.
[[nodiscard]] std::string kernel_instructions();

/// The environment variable that limits the kernels' instructions: `baseline` (plain C++), `avx2` or `avx512` (without
/// BF16 and VNNI). For measurements, and to reproduce the result of another machine. Read once; other values are
/// ignored.
inline constexpr const char* kInstructionsVariable = "TRANSLATE_INSTRUCTIONS";

/// The number of processors that this process may keep busy, at least 1: the smaller of its affinity mask (taskset,
/// cpusets) and its control groups' CPU quota, rounded up.
[[nodiscard]] int available_processors();

/// The CPU quota of this process's control groups (version 1 or 2, the tightest from its own group up to the root) in
/// processors, e.g. 1.5, or nothing if there is none. `root` is the file system's root; tests give another.
[[nodiscard]] std::optional<double> cgroup_processors(const std::filesystem::path& root = "/");

}  // namespace translate

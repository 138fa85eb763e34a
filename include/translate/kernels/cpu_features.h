#pragma once

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

}  // namespace translate

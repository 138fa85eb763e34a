#pragma once

/// Marks a function whose body may use AVX2, FMA and F16C instructions, whatever the build's own target; call it only
/// where has_vector_kernels() holds. Nothing on other processors, where the kernels have no vector part.
#if defined(__x86_64__) && defined(__GNUC__)
#define TRANSLATE_AVX2 __attribute__((target("avx2,fma,f16c")))
#define TRANSLATE_HAS_AVX2_CODE 1
#else
#define TRANSLATE_AVX2
#define TRANSLATE_HAS_AVX2_CODE 0
#endif

namespace translate {

/// True where the processor has what the matrix kernels of this layer are written for: AVX2, FMA and F16C. Elsewhere
/// the model computes through LibTorch's operators.
[[nodiscard]] bool has_vector_kernels();

/// True where this processor multiplies bf16 matrices in hardware; elsewhere bf16 is many times slower than fp32.
[[nodiscard]] bool cpu_multiplies_bf16();

}  // namespace translate

#include "translate/kernels/cpu_features.h"

namespace translate {

bool has_vector_kernels() {
#if TRANSLATE_HAS_AVX2_CODE
  static const bool has =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
#else
  return false;
#endif
}

bool cpu_multiplies_bf16() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

}  // namespace translate

#include "translate/kernels/cpu_features.h"

#include <cstdlib>
#include <string_view>

namespace translate {

#if TRANSLATE_HAS_AVX2_CODE

namespace {

bool environment_says(std::string_view instructions) {
  const char* value = std::getenv(kInstructionsVariable);
  return value != nullptr && value == instructions;
}

}  // namespace

bool has_vector_kernels() {
  static const bool has =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
}

bool has_avx512_kernels() {
  static const bool has = has_vector_kernels() && __builtin_cpu_supports("avx512f") != 0 &&
                          __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 && !environment_says("avx2");
  return has;
}

bool has_bf16_kernels() {
  static const bool has =
      has_avx512_kernels() && __builtin_cpu_supports("avx512bf16") != 0 && !environment_says("avx512");
  return has;
}

bool has_vnni_kernels() {
  static const bool has =
      has_avx512_kernels() && __builtin_cpu_supports("avx512vnni") != 0 && !environment_says("avx512");
  return has;
}

#else

bool has_vector_kernels() { return false; }
bool has_avx512_kernels() { return false; }
bool has_bf16_kernels() { return false; }
bool has_vnni_kernels() { return false; }

#endif

std::string kernel_instructions() {
  if (!has_avx512_kernels()) {
    return has_vector_kernels() ? "avx2" : "none";
  }
  return std::string("avx512") + (has_bf16_kernels() ? " bf16" : "") + (has_vnni_kernels() ? " vnni" : "");
}

}  // namespace translate

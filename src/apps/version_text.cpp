#include "translate/apps/version_text.h"

#include <fmt/format.h>

#include "translate/core/version.h"
#include "translate/kernels/cpu_features.h"

namespace translate {
namespace {

std::string instructions() {
  if (!has_vector_kernels()) {
    return "none: computed by LibTorch's operators";
  }
  std::string names = has_avx512_kernels() ? "AVX-512" : "AVX2";
  names += has_bf16_kernels() ? ", BF16" : "";
  names += has_vnni_kernels() ? ", VNNI" : "";
  return names;
}

std::string precisions(Work work) {
  std::string names = has_bf16_kernels() ? "fp32, bf16" : "fp32, bf16 (slow: emulated)";
  if (work != Work::kTraining && has_vector_kernels()) {
    names += ", int8";
  }
  return names;
}

}  // namespace

std::string version_text(const std::string& program, Work work) {
  return fmt::format("{} {}\nLibTorch {}\ninstructions: {}\nprecisions on the CPU: {}", program, version(),
                     libtorch_version(), instructions(), precisions(work));
}

}  // namespace translate

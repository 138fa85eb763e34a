#include "core/processor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "core/system/control_groups.h"
#include "core/system/system_calls.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <cpuid.h>
#endif

namespace translate {

#if TRANSLATE_HAS_AVX2_CODE || TRANSLATE_HAS_NEON_CODE

namespace {

bool environment_says(std::string_view instructions) {
  const char* value = std::getenv(kInstructionsVariable);
  return value != nullptr && value == instructions;
}

}  // namespace

#endif

#if TRANSLATE_HAS_AVX2_CODE

namespace {

/// __builtin_cpu_supports of Clang 16 does not know this name. AVX2 is asked for, too, and needs the same support of
/// the system.
bool has_f16c() {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

}  // namespace

bool has_avx2_kernels() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && has_f16c() &&
                          !environment_says("baseline");
  return has;
}

bool has_avx512_kernels() {
  static const bool has = has_avx2_kernels() && __builtin_cpu_supports("avx512f") != 0 &&
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

bool has_neon_kernels() { return false; }
bool has_dot_kernels() { return false; }
bool has_i8mm_kernels() { return false; }

#else

bool has_avx2_kernels() { return false; }
bool has_avx512_kernels() { return false; }
bool has_vnni_kernels() { return false; }

#if TRANSLATE_HAS_NEON_CODE

namespace {

// The bits of AT_HWCAP and AT_HWCAP2, which the headers of older systems lack.
constexpr unsigned long kDotProducts = 1UL << 20U;   // ASIMDDP
constexpr unsigned long kByteMatrices = 1UL << 13U;  // I8MM, of AT_HWCAP2
constexpr unsigned long kBfloat16 = 1UL << 14U;      // BF16, of AT_HWCAP2

}  // namespace

bool has_neon_kernels() {
  static const bool has = !environment_says("baseline");
  return has;
}

bool has_dot_kernels() {
  static const bool has =
      has_neon_kernels() && (processor_capabilities(1) & kDotProducts) != 0 && !environment_says("neon");
  return has;
}

bool has_i8mm_kernels() {
  static const bool has =
      has_dot_kernels() && (processor_capabilities(2) & kByteMatrices) != 0 && !environment_says("dot");
  return has;
}

bool has_bf16_kernels() {
  static const bool has = has_dot_kernels() && (processor_capabilities(2) & kBfloat16) != 0 && !environment_says("dot");
  return has;
}

#else

bool has_neon_kernels() { return false; }
bool has_dot_kernels() { return false; }
bool has_i8mm_kernels() { return false; }
bool has_bf16_kernels() { return false; }

#endif
#endif

std::string kernel_instructions() {
  if (has_neon_kernels()) {
    return std::string("neon") + (has_dot_kernels() ? " dot" : "") + (has_i8mm_kernels() ? " i8mm" : "") +
           (has_bf16_kernels() ? " bf16" : "");
  }
  if (!has_avx512_kernels()) {
    return has_avx2_kernels() ? "avx2" : "baseline";
  }
  return std::string("avx512") + (has_bf16_kernels() ? " bf16" : "") + (has_vnni_kernels() ? " vnni" : "");
}

namespace {

/// Version 2: cpu.max holds "quota period" in microseconds, or "max period".
GroupValue quota_of_v2_group(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) {
    return std::nullopt;
  }
  return std::strtod(quota.c_str(), nullptr) / period;
}

/// Version 1: two files; a quota of -1 means none.
GroupValue quota_of_v1_group(const std::filesystem::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) {
    return std::nullopt;
  }
  return quota / period;
}

}  // namespace

std::optional<double> cgroup_processors(const std::filesystem::path& root) {
  return tightest_group_value(root, "cpu", {.version_1 = quota_of_v1_group, .version_2 = quota_of_v2_group});
}

int available_processors() {
  int count = allowed_processors();
  if (const GroupValue quota = cgroup_processors()) {
    count = std::min(count, static_cast<int>(std::ceil(*quota)));
  }
  return std::max(count, 1);
}

}  // namespace translate

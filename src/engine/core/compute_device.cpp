#include "core/compute_device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "core/error.h"
#include "core/system/allocator.h"
#include "core/system/memory.h"

namespace translate {

namespace {

class Cpu : public ComputeDevice {
 public:
  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::kCpu; }
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] std::int64_t available_memory() const override { return translate::available_memory(); }
  [[nodiscard]] std::int64_t memory_capacity() const override { return translate::memory_capacity(); }
  void give_back_memory() const override { give_back_freed_memory(); }
  [[nodiscard]] bool is_out_of_memory(const std::exception& error) const override {
    return translate::is_out_of_memory(error);
  }
};

}  // namespace

bool has_nvidia_driver() { return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr; }

void check_device_name(const std::string& name) {
  constexpr std::string_view kNumbered = "cuda:";
  const bool has_number = name.starts_with(kNumbered) && name.size() > kNumbered.size() && name.size() < 9 &&
                          name.find_first_not_of("0123456789", kNumbered.size()) == std::string::npos;
  if (name != "auto" && name != "cpu" && name != "cuda" && !has_number) {
    throw ConfigError(fmt::format("--device {}: expected auto, cpu, cuda or cuda:N", name));
  }
}

std::shared_ptr<const ComputeDevice> cpu_device() { return std::make_shared<const Cpu>(); }

}  // namespace translate

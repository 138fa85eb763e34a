#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

namespace translate::simulated {

/// A device's random generator. The numbers come from a generator of the CPU's kind that belongs to the device alone,
/// because its operators run as the CPU's; drawing on the device leaves the CPU's own generator as it is.
class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(c10::DeviceIndex device);

  void set_current_seed(std::uint64_t seed) override;
  void set_offset(std::uint64_t offset) override;
  [[nodiscard]] std::uint64_t get_offset() const override;
  [[nodiscard]] std::uint64_t current_seed() const override;
  std::uint64_t seed() override;
  void set_state(const c10::TensorImpl& state) override;
  [[nodiscard]] c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

  /// LibTorch asks for it by this name.
  static c10::DeviceType device_type() { return c10::kPrivateUse1; }

  /// The generator to hand to the CPU's operators.
  [[nodiscard]] const at::Generator& numbers() const { return numbers_; }

 private:
  [[nodiscard]] DeviceGenerator* clone_impl() const override;

  at::Generator numbers_ = at::detail::createCPUGenerator();
};

/// The default generator of a device.
[[nodiscard]] const at::Generator& default_generator(c10::DeviceIndex device);

/// The numbers of a device's generator, or of the default one of `device` if none is given.
[[nodiscard]] at::Generator numbers_of(const std::optional<at::Generator>& given, c10::DeviceIndex device);

}  // namespace translate::simulated

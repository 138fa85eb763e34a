#include "support/simulated_device/device_generator.h"

#include <vector>

#include "support/simulated_device/machine.h"

namespace translate::simulated {

DeviceGenerator::DeviceGenerator(c10::DeviceIndex device)
    : c10::GeneratorImpl({c10::kPrivateUse1, device}, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

void DeviceGenerator::set_current_seed(std::uint64_t seed) { numbers_.set_current_seed(seed); }

void DeviceGenerator::set_offset(std::uint64_t offset) { numbers_.set_offset(offset); }

std::uint64_t DeviceGenerator::get_offset() const { return numbers_.get_offset(); }

std::uint64_t DeviceGenerator::current_seed() const { return numbers_.current_seed(); }

std::uint64_t DeviceGenerator::seed() { return numbers_.seed(); }

void DeviceGenerator::set_state(const c10::TensorImpl& state) { numbers_.unsafeGetGeneratorImpl()->set_state(state); }

c10::intrusive_ptr<c10::TensorImpl> DeviceGenerator::get_state() const {
  return numbers_.unsafeGetGeneratorImpl()->get_state();
}

DeviceGenerator* DeviceGenerator::clone_impl() const {
  auto* copy = new DeviceGenerator(device().index());
  copy->numbers_ = numbers_.clone();
  return copy;
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  static const auto& generators = *new std::vector<at::Generator>([] {
    std::vector<at::Generator> made;
    for (c10::DeviceIndex index = 0; index < kDevices; ++index) {
      made.push_back(at::make_generator<DeviceGenerator>(index));
    }
    return made;
  }());
  return generators.at(static_cast<std::size_t>(device >= 0 ? device : current_device()));
}

at::Generator numbers_of(const std::optional<at::Generator>& given, c10::DeviceIndex device) {
  const auto& generator = given && given->defined() ? *given : default_generator(device);
  TORCH_CHECK(generator.device() == c10::Device(c10::kPrivateUse1, device), "a generator of ", generator.device(),
              " cannot draw for device ", device);
  return generator.get<DeviceGenerator>()->numbers();
}

}  // namespace translate::simulated

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/simulated_device/simulated_device.h"

namespace translate {

/// A fixture for tests on the simulated device. A test fails that uses the host's memory while a copy is in flight, or
/// leaves tensors on the device.
class DeviceTest : public ::testing::Test {
 protected:
  DeviceTest() {
    static_cast<void>(simulated::take_waits());
    static_cast<void>(simulated::take_hazards());
    before_ = simulated::bytes_in_use();
  }

  void TearDown() override {
    for (const auto& hazard : simulated::take_hazards()) {
      ADD_FAILURE() << hazard.text();
    }
  }

  ~DeviceTest() override { EXPECT_EQ(simulated::bytes_in_use(), before_) << "tensors were left on the device"; }

  const c10::Device device_ = simulated::simulated_device();

 private:
  std::size_t before_ = 0;
};

}  // namespace translate

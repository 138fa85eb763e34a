#include "tensors/device_memory.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <exception>
#include <new>
#include <string>

#include "core/error.h"

namespace translate::trainer {
namespace {

/// True if `work` throws an error that is a lack of memory.
template <typename Work>
bool runs_out_of_memory(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return compute_device(c10::kCPU)->is_out_of_memory(error);
  }
  ADD_FAILURE() << "no error";
  return false;
}

TEST(DeviceMemoryTest, LibTorchsLackOfMemoryIsKnown) {
  EXPECT_TRUE(runs_out_of_memory([] { static_cast<void>(at::empty({std::int64_t{1} << 50}, at::kFloat)); }));
}

TEST(DeviceMemoryTest, OtherErrorsOfLibTorchAreNoLackOfMemory) {
  EXPECT_FALSE(runs_out_of_memory([] { static_cast<void>(at::zeros({2, 3}).mm(at::zeros({2, 3}))); }));
}

TEST(DeviceMemoryTest, ErrorsOfLibTorchBecomePlain) {
  EXPECT_THROW(with_plain_errors([] { static_cast<void>(at::empty({std::int64_t{1} << 50}, at::kFloat)); }),
               std::bad_alloc);
  try {
    with_plain_errors([] { static_cast<void>(at::zeros({2, 3}).mm(at::zeros({2, 3}))); });
    ADD_FAILURE() << "no error";
  } catch (const RuntimeError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("LibTorch: ")) << message;
    EXPECT_EQ(message.find("frame #"), std::string::npos) << message;  // the stack
  }
  EXPECT_EQ(with_plain_errors([] { return 3; }), 3);
}

TEST(DeviceMemoryTest, GrowthSeesTensorsThatWereGivenBack) {
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
  compute_device(c10::kCPU)->give_back_memory();
  const MemoryGrowth growth(c10::kCPU);
  EXPECT_LT(growth.bytes(), 16 * kMebibyte);
  at::ones({64 * kMebibyte / 4}, at::kFloat).sum();
  EXPECT_GT(growth.bytes(), 60 * kMebibyte);
  EXPECT_LT(growth.bytes(), 200 * kMebibyte);
}

}  // namespace
}  // namespace translate::trainer

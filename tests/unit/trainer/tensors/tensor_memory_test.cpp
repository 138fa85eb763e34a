#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <exception>

#include "core/memory.h"

namespace translate {
namespace {

/// True if `work` throws an error that is a lack of memory.
template <typename Work>
bool runs_out_of_memory(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return is_out_of_memory(error);
  }
  ADD_FAILURE() << "no error";
  return false;
}

TEST(TensorMemoryTest, LibTorchsLackOfMemoryIsKnown) {
  EXPECT_TRUE(runs_out_of_memory([] { static_cast<void>(at::empty({std::int64_t{1} << 50}, at::kFloat)); }));
}

TEST(TensorMemoryTest, OtherErrorsOfLibTorchAreNone) {
  EXPECT_FALSE(runs_out_of_memory([] { static_cast<void>(at::zeros({2, 3}).mm(at::zeros({2, 3}))); }));
}

TEST(TensorMemoryTest, GrowthSeesTensorsThatWereGivenBack) {
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
  give_back_memory(c10::kCPU);
  const MemoryGrowth growth(c10::kCPU);
  EXPECT_LT(growth.bytes(), 16 * kMebibyte);
  at::ones({64 * kMebibyte / 4}, at::kFloat).sum();
  EXPECT_GT(growth.bytes(), 60 * kMebibyte);
  EXPECT_LT(growth.bytes(), 200 * kMebibyte);
}

}  // namespace
}  // namespace translate

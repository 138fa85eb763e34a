#include "checkpoint/number_type.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tensors/tensor_file.h"

namespace translate::testing {
namespace {

TEST(NumberType, HasTheSizesAndNamesOfPyTorch) {
  for (const auto type :
       {NumberType::kFloat64, NumberType::kFloat32, NumberType::kFloat16, NumberType::kBfloat16, NumberType::kInt64,
        NumberType::kInt32, NumberType::kInt16, NumberType::kInt8, NumberType::kUint8, NumberType::kBool}) {
    const auto theirs = trainer::scalar_type_of(type);
    EXPECT_EQ(trainer::number_type_of(theirs), type) << name_of(type);
    EXPECT_EQ(bytes_of(type), c10::elementSize(theirs)) << name_of(type);
    EXPECT_EQ(is_floating(type), c10::isFloatingType(theirs)) << name_of(type);
    EXPECT_EQ(name_of(type), c10::getDtypeNames(theirs).first);
  }
}

/// Compares each of the 65,536 numbers of 16 bits with LibTorch's conversion.
template <class Number, class Theirs>
void compare_all() {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float ours = Number{.bits = static_cast<std::uint16_t>(bits)};
    const float theirs = Theirs(static_cast<std::uint16_t>(bits), Theirs::from_bits());
    ASSERT_EQ(std::isnan(ours), std::isnan(theirs)) << bits;
    if (!std::isnan(theirs)) {
      ASSERT_EQ(ours, theirs) << bits;
      ASSERT_EQ(std::signbit(ours), std::signbit(theirs)) << bits;
    }
  }
}

TEST(NumberType, ConvertsEveryFloat16AsLibTorchDoes) { compare_all<Float16, c10::Half>(); }

TEST(NumberType, ConvertsEveryBfloat16AsLibTorchDoes) { compare_all<Bfloat16, c10::BFloat16>(); }

}  // namespace
}  // namespace translate::testing

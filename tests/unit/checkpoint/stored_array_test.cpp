#include "translate/checkpoint/stored_array.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "checkpoint_fixture.h"

namespace translate {
namespace {

class StoredArrayTest : public CheckpointFixture {};

at::Tensor as_tensor(const StoredArray& array) {
  const auto values = as_floats(array, "x");
  return at::tensor(std::vector<float>(values.get(), values.get() + array.count())).view(array.shape);
}

TEST_F(StoredArrayTest, GivesFloatsAndDoublesOfEveryFloatingType) {
  const auto exact = (at::randn({3, 4}, at::kDouble) * 5).to(at::kBFloat16).to(at::kDouble);  // which all of them hold
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const auto array = array_of(exact.to(type));
    EXPECT_EQ(array.dtype, type);
    EXPECT_EQ(array.count(), 12);
    EXPECT_EQ(array.bytes(), 12 * c10::elementSize(type));
    EXPECT_TRUE(at::equal(as_tensor(array), exact.to(at::kFloat)));
    EXPECT_TRUE(at::equal(at::tensor(as_doubles(array, "x"), at::kDouble).view({3, 4}), exact));
  }
}

TEST_F(StoredArrayTest, FloatsAreNotCopied) {
  const auto tensor = at::randn({5});
  EXPECT_EQ(as_floats(array_of(tensor), "x").get(), tensor.const_data_ptr<float>());
  EXPECT_EQ(tensor_of(array_of(tensor)).const_data_ptr<float>(), tensor.const_data_ptr<float>());
}

TEST_F(StoredArrayTest, ATensorsValuesComeInTheirOrderAndLiveOnWithoutIt) {
  auto tensor = at::arange(6, at::kFloat).view({2, 3}).t();
  const auto expected = tensor.clone(at::MemoryFormat::Contiguous);
  const auto array = array_of(tensor);
  tensor = at::Tensor();
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_TRUE(at::equal(as_tensor(array), expected));
  EXPECT_TRUE(at::equal(tensor_of(array), expected));
}

TEST_F(StoredArrayTest, OthersThanFloatingNumbersAreNamed) {
  EXPECT_EQ(error_of<CheckpointError>([] { (void)as_floats(array_of(at::ones({2}, at::kLong)), "some.weight"); }),
            "some.weight is of type Long, expected floating-point numbers");
}

TEST_F(StoredArrayTest, ReleasedPagesComeBackAsTheFileHasThem) {
  const auto path = folder_ / "x.safetensors";
  const auto large = at::randn({300, 100});
  write_safetensors(path, {{"before", at::ones({7})}, {"large", large}, {"after", at::ones({7})}});
  const SafetensorsFile file(path);
  for (const auto& [name, array] : file.arrays()) {
    EXPECT_TRUE(array.mapped);
    release_pages(array);
  }
  EXPECT_TRUE(at::equal(tensor_of(file, "large"), large));
  EXPECT_TRUE(at::equal(tensor_of(file, "before"), at::ones({7})));
  EXPECT_TRUE(at::equal(tensor_of(file, "after"), at::ones({7})));
  const auto own = stored_floats({2}, {1.0F, 2.0F});
  release_pages(own);
  EXPECT_TRUE(at::equal(as_tensor(own), at::tensor({1.0F, 2.0F})));
}

}  // namespace
}  // namespace translate

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "checkpoint/safetensors.h"
#include "core/file.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

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
    const auto array = trainer::array_of(exact.to(type));
    EXPECT_EQ(array.dtype, trainer::number_type_of(type));
    EXPECT_EQ(array.count(), 12);
    EXPECT_EQ(array.bytes(), 12 * bytes_of(trainer::number_type_of(type)));
    EXPECT_TRUE(at::equal(as_tensor(array), exact.to(at::kFloat)));
    EXPECT_TRUE(at::equal(at::tensor(as_doubles(array, "x"), at::kDouble).view({3, 4}), exact));
  }
}

TEST_F(StoredArrayTest, FloatsAreNotCopied) {
  const auto tensor = at::randn({5});
  EXPECT_EQ(as_floats(trainer::array_of(tensor), "x").get(), tensor.const_data_ptr<float>());
  EXPECT_EQ(trainer::tensor_of(trainer::array_of(tensor)).const_data_ptr<float>(), tensor.const_data_ptr<float>());
}

TEST_F(StoredArrayTest, ATensorsValuesComeInTheirOrderAndLiveOnWithoutIt) {
  auto tensor = at::arange(6, at::kFloat).view({2, 3}).t();
  const auto expected = tensor.clone(at::MemoryFormat::Contiguous);
  const auto array = trainer::array_of(tensor);
  tensor = at::Tensor();
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_TRUE(at::equal(as_tensor(array), expected));
  EXPECT_TRUE(at::equal(trainer::tensor_of(array), expected));
}

TEST_F(StoredArrayTest, OthersThanFloatingNumbersAreNamed) {
  EXPECT_EQ(
      error_of<CheckpointError>([] { (void)as_floats(trainer::array_of(at::ones({2}, at::kLong)), "some.weight"); }),
      "some.weight is of type int64, expected floating-point numbers");
}

TEST_F(StoredArrayTest, NumbersInAFileAreReadIntoMemoryOfTheirOwn) {
  const auto path = folder_ / "x.safetensors";
  const auto large = at::randn({300, 100});
  trainer::write_safetensors(path, {{"before", at::ones({7})}, {"large", large}, {"after", at::ones({7})}});
  const auto array = SafetensorsFile(path).array("large");
  EXPECT_EQ(array.data, nullptr);
  EXPECT_TRUE(at::equal(as_tensor(array), large));
  auto written = trainer::tensor_of(array);
  written.fill_(1);
  EXPECT_TRUE(at::equal(trainer::tensor_of(array), large));
  std::filesystem::remove(path);
  EXPECT_TRUE(at::equal(trainer::tensor_of(array), large));
}

TEST_F(StoredArrayTest, NumbersOfAFileThatWasCutOrOverwrittenAreAnError) {
  const auto path = folder_ / "x.safetensors";
  const auto expect_error = [&](const std::function<void()>& change) {
    trainer::write_safetensors(path, {{"large", at::randn({300, 100})}});
    const auto array = SafetensorsFile(path).array("large");
    const auto read_before = as_floats(array, "large");
    const float last = read_before.get()[29'999];
    change();
    EXPECT_EQ(error_of<RuntimeError>([&] { (void)as_floats(array, "large"); }),
              path.string() + ": was changed while this program read it; start again once it is whole");
    EXPECT_EQ(read_before.get()[29'999], last);  // nothing of the file is in use any more
    std::filesystem::remove(path);
  };
  expect_error([&] { std::filesystem::resize_file(path, 0); });
  expect_error([&] { std::filesystem::resize_file(path, 100'000); });
  expect_error([&] { write_file_synced(path, std::string(std::filesystem::file_size(path), 'x')); });
}

}  // namespace
}  // namespace translate

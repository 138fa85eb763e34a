#include "checkpoint/safetensors_writing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using SafetensorsWritingTest = TemporaryFolderTest;

StoredArray bytes_array(const std::string& bytes) {
  const auto owner = std::make_shared<const std::string>(bytes);
  return {.dtype = NumberType::kUint8,
          .shape = {static_cast<std::int64_t>(bytes.size())},
          .data = {owner, owner->data()},
          .file = {}};
}

TEST_F(SafetensorsWritingTest, KeepsTheOrderOfTheNamesAndAlignsTheNumbers) {
  const auto path = folder_ / "a.safetensors";
  const auto digest = write_safetensors(
      path, {{"odd", bytes_array("abc")}, {"matrix", stored_floats({2, 1}, {1.5F, -2.0F})}}, {{"format", "pt"}});
  const SafetensorsFile file(path);
  EXPECT_THAT(file.names(), ::testing::ElementsAre("odd", "matrix"));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.array("matrix").offset % sizeof(float), 0U);  // before the bytes, which would move it
  EXPECT_LT(file.array("matrix").offset, file.array("odd").offset);
  const auto values = as_floats(file.array("matrix"), "matrix");
  EXPECT_THAT(std::vector<float>(values.get(), values.get() + 2), ::testing::ElementsAre(1.5F, -2.0F));
  EXPECT_EQ(digest.crc32, crc32_of_file(path));
  EXPECT_EQ(digest.size, std::filesystem::file_size(path));
}

TEST_F(SafetensorsWritingTest, CopiesArraysFromFiles) {
  write_safetensors(folder_ / "a", {{"x", stored_floats({3}, {1.0F, 2.0F, 3.0F})}}, {});
  write_safetensors(folder_ / "b", SafetensorsFile(folder_ / "a").arrays(), {});
  EXPECT_EQ(read_file(folder_ / "a"), read_file(folder_ / "b"));
}

TEST_F(SafetensorsWritingTest, RefusesANameGivenTwice) {
  const auto array = stored_floats({1}, {1.0F});
  EXPECT_THAT(testing::error_of<CheckpointError>([&] {
                return write_safetensors(folder_ / "a", {{"x", array}, {"x", array}}, {});
              }),
              ::testing::HasSubstr("tensor \"x\": this name is reserved or given twice"));
}

}  // namespace
}  // namespace translate

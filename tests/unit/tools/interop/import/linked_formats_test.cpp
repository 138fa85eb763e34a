#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "checkpoint/foreign_formats.h"
#include "support/folders.h"
#include "support/temporary_folder.h"

namespace translate::tools {
namespace {

namespace fs = std::filesystem;

class LinkedFormatsTest : public TemporaryFolderTest {
 protected:
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content;
  }
  [[nodiscard]] const ModelFormat* format_of(const std::string& name) const {
    return find_model_format(folder_ / name);
  }
};

TEST_F(LinkedFormatsTest, AModelOfMarianIsKnownByItsDecoderFileOrAsAZipFile) {
  write("both/decoder.yml", "");
  write("both/config.json", R"({"model_type": "marian"})");
  write("model.zip", "");
  const auto* const marian = find_model_format(project_folder() / "tests/golden/marian/all");
  ASSERT_NE(marian, nullptr);
  EXPECT_EQ(format_of("both"), marian);
  EXPECT_EQ(format_of("model.zip"), marian);
  EXPECT_EQ(marian->config(folder_ / "both"), std::nullopt);  // only opening it tells
}

TEST_F(LinkedFormatsTest, AFolderOfTransformersIsKnownByItsConfiguration) {
  write("model/config.json", R"({"model_type": "bert"})");
  ASSERT_NE(format_of("model"), nullptr);
  EXPECT_NE(format_of("model"), find_model_format(project_folder() / "tests/golden/marian/all"));
  write("damaged/config.json", "{");
  EXPECT_EQ(format_of("damaged"), nullptr);
  write("damaged/source.spm", "");
  write("damaged/vocab.json", "");
  EXPECT_EQ(format_of("damaged"), format_of("model"));  // whose error is worth reading
}

TEST_F(LinkedFormatsTest, CheckpointsAndOtherPathsAreNoModelsOfOtherSystems) {
  write("checkpoint/config.json", R"({"model_type": "marian"})");
  write("checkpoint/manifest.json", "{}");
  write("weights.pt", "");
  fs::create_directory(folder_ / "empty");
  for (const std::string name : {"checkpoint", "weights.pt", "empty", "missing", "missing.zip"}) {
    EXPECT_EQ(format_of(name), nullptr) << name;
  }
}

TEST_F(LinkedFormatsTest, FilesOfPytorchAreKnownByTheirFirstBytes) {
  const auto& formats = linked_formats().weights;
  ASSERT_EQ(formats.size(), 1U);
  EXPECT_TRUE(formats.front().matches("PK\x03\x04"));
  EXPECT_TRUE(formats.front().matches("\x80\x02"));
  EXPECT_FALSE(formats.front().matches(""));
  EXPECT_FALSE(formats.front().matches(std::string("\x40\0\0\0\0\0\0\0{\"a\"", 12)));
}

}  // namespace
}  // namespace translate::tools

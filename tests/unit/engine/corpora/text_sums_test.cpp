#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "corpora/checked_text.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

class TextSumsTest : public TemporaryFolderTest {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
};

TEST_F(TextSumsTest, AFilesSumIsItsSizeAndCrc32) {
  write("a.en", "one\n");
  const auto sum = sum_of_file(folder_ / "a.en");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->path, folder_ / "a.en");
  EXPECT_EQ(sum->size, 4U);
  EXPECT_EQ(sum->crc32, crc32("one\n"));
  EXPECT_FALSE(sum_of_file(folder_ / "none"));
  EXPECT_FALSE(sum_of_file(folder_));
}

TEST_F(TextSumsTest, ContentIsTheSameWhateverTheFileIsCalled) {
  write("a.en", "one\n");
  write("b.en", "one\n");
  write("c.en", "two\n");
  const auto a = *sum_of_file(folder_ / "a.en");
  EXPECT_TRUE(a.has_content_of(*sum_of_file(folder_ / "b.en")));
  EXPECT_FALSE(a.has_content_of(*sum_of_file(folder_ / "c.en")));
  EXPECT_NE(a, *sum_of_file(folder_ / "b.en"));
}

TEST_F(TextSumsTest, AMissingFileLeavesNoSumOfTheOthers) {
  write("a.en", "one\n");
  write("a.fr", "un\n");
  const CorpusFiles there{.source = folder_ / "a.en", .target = folder_ / "a.fr"};
  EXPECT_EQ(sums_of_files({there, there}).size(), 2U);
  EXPECT_TRUE(sums_of_files({there, {.source = folder_ / "a.en", .target = folder_ / "none"}}).empty());
}

TEST_F(TextSumsTest, JsonGivesTheSameBack) {
  write("a.en", "one\n");
  write("a.fr", "un\n");
  const auto corpora = sums_of_files({{.source = folder_ / "a.en", .target = folder_ / "a.fr"}});
  const TextSums sums{.train = {corpora[0], corpora[0]}, .validation = {}, .test = corpora};
  EXPECT_EQ(text_sums_from_json(text_sums_to_json(sums), "data.json"), sums);
}

TEST_F(TextSumsTest, AnythingElseIsAnErrorThatNamesTheFile) {
  for (const std::string text : {"", "{", "[]", "{}", R"({"train": [{}], "validation": [], "test": []})",
                                 R"({"train": 3, "validation": [], "test": []})"}) {
    try {
      (void)text_sums_from_json(text, "x/data.json");
      ADD_FAILURE() << text;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("x/data.json: "));
    }
  }
}

}  // namespace
}  // namespace translate

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/utf8.h"
#include "text/sentencepiece_model.h"
#include "text/tokenizer.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

TEST(IdRewriting, ReplacesRunsFromLeftToRight) {
  const std::vector<IdRewrite> rewrites{{{7, 8}, {1}}, {{8, 9}, {2, 3, 4}}};
  EXPECT_THAT(rewrite_ids(std::vector<int>{5, 7, 8, 9, 8, 9, 7}, rewrites), ElementsAre(5, 1, 9, 2, 3, 4, 7));
}

TEST(IdRewriting, KeepsARunThatIsCutOff) {
  const std::vector<IdRewrite> rewrites{{{7, 8, 9}, {1}}};
  EXPECT_THAT(rewrite_ids(std::vector<int>{7, 8}, rewrites), ElementsAre(7, 8));
}

TEST(IdRewriting, ReplacesText) {
  EXPECT_EQ(replace_all("aXbXXc", "X", "--"), "a--b----c");
  EXPECT_EQ(replace_all("abc", "X", "--"), "abc");
  EXPECT_EQ(replace_all("", "X", "--"), "");
}

TEST(IdRewriting, TakesTheFirstFreeCharacter) {
  EXPECT_EQ(first_free_character([](std::string_view) { return false; }), "\U000F0000");
  EXPECT_EQ(first_free_character([](std::string_view candidate) { return candidate < "\U000F0041"; }), "\U000F0041");
  EXPECT_THROW((void)first_free_character([](std::string_view) { return true; }), DataError);
}

}  // namespace
}  // namespace translate

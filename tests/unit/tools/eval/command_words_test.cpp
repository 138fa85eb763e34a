#include "eval/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CommandWordsTest, WhiteSpaceSeparatesWords) {
  EXPECT_THAT(command_words("score"), ElementsAre("score"));
  EXPECT_THAT(command_words("  python3\tscore.py \n --gpus 0 "), ElementsAre("python3", "score.py", "--gpus", "0"));
}

TEST(CommandWordsTest, QuotesJoinWords) {
  EXPECT_THAT(command_words(R"('my score' --a="b  c" d'e f'"g h")"), ElementsAre("my score", "--a=b  c", "de fg h"));
  EXPECT_THAT(command_words(R"(score '' "it's" '"')"), ElementsAre("score", "", "it's", "\""));
}

TEST(CommandWordsTest, ABackslashTakesTheNextCharacterAsItIs) {
  EXPECT_THAT(command_words(R"(my\ score \" "\"\\" '\n')"), ElementsAre("my score", "\"", "\"\\", "\\n"));
}

TEST(CommandWordsTest, NothingElseHasAMeaning) {
  EXPECT_THAT(command_words("score $HOME *.py | tee > x; y"),
              ElementsAre("score", "$HOME", "*.py", "|", "tee", ">", "x;", "y"));
}

TEST(CommandWordsTest, WhatIsNotACommandIsRefused) {
  const auto error = [](const char* command) {
    return testing::error_of<ConfigError>([&] { (void)command_words(command); });
  };
  EXPECT_THAT(error(""), HasSubstr("empty"));
  EXPECT_THAT(error(" \t"), HasSubstr("empty"));
  EXPECT_THAT(error("score 'my model"), HasSubstr("a ' is not closed in the command score 'my model"));
  EXPECT_THAT(error("score \"it's"), HasSubstr("a \" is not closed"));
  EXPECT_THAT(error("score \\"), HasSubstr("at the end"));
}

}  // namespace
}  // namespace translate::tools

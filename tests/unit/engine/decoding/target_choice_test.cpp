#include "decoding/target_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "support/error_of.h"
#include "text/tokenizer.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Direction direction(const char* source, const char* target) {
  return {.source = source, .target = target, .tag = language_tag_of(target)};
}

TEST(TargetChoice, TheOnlyTargetIsChosenAndOfSeveralNone) {
  TranslatorOptions options;
  choose_target(std::vector<Direction>{direction("de", "fr"), direction("en", "fr")}, "", "--t", options);
  EXPECT_EQ(options.language_tag, ">>fr<<");
  EXPECT_EQ(options.missing_tag_warning, "");
  EXPECT_EQ(options.source_language, "") << "two are possible";

  const std::vector<Direction> two = {direction("en", "fr"), direction("de", "en")};
  options = {};
  choose_target(two, "", "--t", options);
  EXPECT_EQ(options.language_tag, "");
  EXPECT_THAT(options.missing_tag_warning,
              AllOf(HasSubstr("--t CODE"), HasSubstr("fr (French), en (English)"), HasSubstr(">>fr<<")));

  options = {};
  choose_target(two, "eng", "--t", options);
  EXPECT_EQ(options.language_tag, ">>en<<");
  EXPECT_EQ(options.missing_tag_warning, "");
  EXPECT_EQ(options.source_language, "de");

  EXPECT_EQ(testing::error_of<ConfigError>([&] { choose_target(two, "it", "--t", options); }),
            "--t it: the model translates into fr (French), en (English)");
}

}  // namespace
}  // namespace translate

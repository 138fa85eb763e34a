#include "infer/translation_output.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

Translation translation_of(const std::string& text) {
  Translation translation;
  translation.text = text;
  translation.nbest = {static_cast<const Candidate&>(translation)};
  return translation;
}

TEST(TranslationOutputText, IsOneLineWhateverTheLineEndsOfTheSource) {
  EXPECT_EQ(candidate_text(translation_of("Le chat.\nLe chien.\r\n\n  L'été."), {}), "Le chat. Le chien. L'été.");
  EXPECT_EQ(candidate_text(translation_of("猫。\u2028犬。\u0085鳥。\v魚。"), {}), "猫。 犬。 鳥。 魚。");
  EXPECT_EQ(candidate_text(translation_of("Le  chat.\tLe\u3000chien."), {}), "Le  chat.\tLe\u3000chien.");
  EXPECT_EQ(nbest_text(translation_of("Le chat.\nLe chien."), {}, 3),
            "3 ||| Le chat. Le chien. ||| score=0.0000 normalized_score=0.0000");
}

TEST(TranslationWarningsTest, CountsLinesThatConsistMostlyOfUnknownWords) {
  const auto line = [](const std::string& source, std::vector<std::string> unknown) {
    Translation translation;
    translation.source = source;
    translation.unknown_words = std::move(unknown);
    return translation;
  };
  TranslationWarnings warnings;
  warnings.add(line("a b c d", {"a", "b"}));
  warnings.add(line("", {}));
  EXPECT_TRUE(warnings.messages().empty());
  warnings.add(line("a b c", {"a", "b"}));
  warnings.add(line("a", {"a"}));
  ASSERT_EQ(warnings.messages().size(), 1U);
  EXPECT_NE(warnings.messages().front().find("2 lines"), std::string::npos) << warnings.messages().front();
}

TEST(TranslationOutputText, JsonKeepsTheLineEnds) {
  EXPECT_EQ(translation_json(translation_of("Le chat.\nLe chien."), {}, false)["translation"], "Le chat.\nLe chien.");
}

}  // namespace
}  // namespace translate

#include "segments/term_symbols.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(TermSymbols, AreAroundATermAndItsTranslation) {
  EXPECT_EQ(annotated_term("red cat", "chat rouge"), "<[> red cat<|> chat rouge<]>");
}

TEST(TermSymbols, AreTakenAwayWithTheTranslations) {
  const auto text = "The " + annotated_term("cat", "chat") + ", (" + annotated_term("red dog", "chien") + ")";
  EXPECT_EQ(without_annotations(text), "The cat, (red dog)");
  EXPECT_EQ(without_annotations("no term"), "no term");
  EXPECT_EQ(without_annotations("cut <|> here"), "cut <|> here");
}

}  // namespace
}  // namespace translate

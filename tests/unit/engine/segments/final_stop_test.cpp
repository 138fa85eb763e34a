#include "segments/final_stop.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(FinalStop, IsNotAdded) {
  EXPECT_EQ(with_stop_of("The cat sat", "Le chat s'est assis."), "Le chat s'est assis");
  EXPECT_EQ(with_stop_of("a dog ( brown )", "un chien ( brun ) ."), "un chien ( brun )");
  EXPECT_EQ(with_stop_of("The cat", "猫。"), "猫");
  EXPECT_EQ(with_stop_of("Dear Sir,", "Cher Monsieur."), "Cher Monsieur");
}

TEST(FinalStop, IsNotLost) {
  EXPECT_EQ(with_stop_of("The cat sat.", "Le chat s'est assis"), "Le chat s'est assis.");
  EXPECT_EQ(with_stop_of("the cat sat .", "le chat s'est assis"), "le chat s'est assis .");
  EXPECT_EQ(with_stop_of("The cat sat.", "猫が座った"), "猫が座った。");
  EXPECT_EQ(with_stop_of("猫が座った。", "The cat sat"), "The cat sat.");
  EXPECT_EQ(with_stop_of("The cat sat.", "बिल्ली बैठी"), "बिल्ली बैठी।");
}

TEST(FinalStop, OfEqualEndingsStaysAsItIs) {
  for (const auto* text : {"Le chat.", "Le chat", "Le chat .", "", " "}) {
    EXPECT_EQ(with_stop_of(text, text), text);
  }
}

TEST(FinalStop, OtherMarksAreLeftAlone) {
  EXPECT_EQ(with_stop_of("Who", "Qui ?"), "Qui ?");
  EXPECT_EQ(with_stop_of("Who?", "Qui."), "Qui.");
  EXPECT_EQ(with_stop_of("And then", "Et puis..."), "Et puis...");
  EXPECT_EQ(with_stop_of("And then...", "Et puis"), "Et puis");
  EXPECT_EQ(with_stop_of("\"No.\"", "« Non »"), "« Non »");
  EXPECT_EQ(with_stop_of("The cat sat.", "Le chat :"), "Le chat :");
}

TEST(FinalStop, AbbreviationsKeepTheirs) {
  EXPECT_EQ(with_stop_of("At 5 in the afternoon", "At 5 p.m."), "At 5 p.m.");
  EXPECT_EQ(with_stop_of("In the U.S.", "Aux États-Unis"), "Aux États-Unis");
  EXPECT_EQ(with_stop_of("the third", "am 3."), "am 3.");
  EXPECT_EQ(with_stop_of("By George B.", "Par George"), "Par George");
}

TEST(FinalStop, ScriptsWithoutStopsAreLeftAlone) {
  EXPECT_EQ(with_stop_of("The cat sat.", "แมวนั่ง"), "แมวนั่ง");
  EXPECT_EQ(with_stop_of("แมวนั่ง", "The cat sat."), "The cat sat.");
}

TEST(FinalMark, IsThatOfASentence) {
  EXPECT_EQ(final_mark_of("The cat sat."), FinalMark::kStop);
  EXPECT_EQ(final_mark_of("the cat sat . "), FinalMark::kStop);
  EXPECT_EQ(final_mark_of("猫が座った。"), FinalMark::kStop);
  EXPECT_EQ(final_mark_of("Qui ?"), FinalMark::kQuestion);
  EXPECT_EQ(final_mark_of("من؟"), FinalMark::kQuestion);
  EXPECT_EQ(final_mark_of("走れ！"), FinalMark::kExclamation);
  for (const auto* text : {"", " ", ".", "?", "12.", "The cat", "And then...", "What?!", "At 5 p.m.", "\"No!\"",
                           "Dear Sir,", "¿Quién es?", "He said: ¡No!", "The cat…"}) {
    EXPECT_EQ(final_mark_of(text), FinalMark::kNone) << text;
  }
}

TEST(FinalMark, IsReplacedInTheFormOfTheScript) {
  EXPECT_EQ(with_final_mark("Who is he?", FinalMark::kNone), "Who is he");
  EXPECT_EQ(with_final_mark("Qui est-il ? ", FinalMark::kNone, "fr"), "Qui est-il");
  EXPECT_EQ(with_final_mark("The cat sat.", FinalMark::kQuestion, "en"), "The cat sat?");
  EXPECT_EQ(with_final_mark("the cat sat .", FinalMark::kExclamation, "en"), "the cat sat !");
  EXPECT_EQ(with_final_mark("Il s'assit.", FinalMark::kQuestion, "fr"), "Il s'assit ?");
  EXPECT_EQ(with_final_mark("Qui est-il\u00a0?", FinalMark::kExclamation, "fr-CA"), "Qui est-il\u00a0!");
  EXPECT_EQ(with_final_mark("Qui est-il ?", FinalMark::kStop, "fr"), "Qui est-il.");
  EXPECT_EQ(with_final_mark("誰ですか？", FinalMark::kStop, "ja"), "誰ですか。");
  EXPECT_EQ(with_final_mark("猫が座った。", FinalMark::kExclamation, "ja"), "猫が座った！");
  EXPECT_EQ(with_final_mark("من؟", FinalMark::kExclamation, "ar"), "من!");
  EXPECT_EQ(with_final_mark("कौन?", FinalMark::kStop, "hi"), "कौन।");
}

}  // namespace
}  // namespace translate

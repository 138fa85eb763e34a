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

}  // namespace
}  // namespace translate

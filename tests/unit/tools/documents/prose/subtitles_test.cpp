#include "documents/prose/subtitles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"
#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using translate::testing::error_of;

const std::string kTwoCues =
    "1\n00:00:01,000 --> 00:00:02,000\nHello, this is\n\n2\n00:00:02,100 --> 00:00:03,000\n<i>one</i> sentence.\n";

TEST(Subtitles, CuesOfOneSentenceAreOneText) {
  EXPECT_EQ(read_as("srt", kTwoCues)->texts(), std::vector<std::string>{"Hello, this is one sentence."});
  EXPECT_EQ(capitals(*read_as("srt", kTwoCues)),
            "1\n00:00:01,000 --> 00:00:02,000\nHELLO, THIS IS\n\n2\n00:00:02,100 --> 00:00:03,000\n<i>ONE</i> "
            "SENTENCE.\n");
}

TEST(Subtitles, APauseAStopAndAnotherSpeakerPartThem) {
  const auto texts = [](const std::string& first, const std::string& time, const std::string& second) {
    return read_as("srt", "1\n00:00:01,000 --> 00:00:02,000\n" + first + "\n\n2\n" + time + " --> 00:01:00,000\n" +
                              second + "\n")
        ->texts();
  };
  EXPECT_THAT(texts("One", "00:00:02,000", "two"), ElementsAre("One two"));
  EXPECT_THAT(texts("One.", "00:00:02,000", "Two"), ElementsAre("One.", "Two"));
  EXPECT_THAT(texts("One", "00:00:09,000", "two"), ElementsAre("One", "two"));
  EXPECT_THAT(texts("One", "00:00:02,000", "- Two"), ElementsAre("One", "Two"));
  EXPECT_THAT(texts("- One\n- Two", "00:00:02,000", "three"), ElementsAre("One", "Two", "three"));
  EXPECT_THAT(texts("{\\an8}One\ntwo", "00:00:09,000", "three"), ElementsAre("One two", "three"));
}

TEST(Subtitles, DashesOfSpeakersStay) {
  const std::string file =
      "1\n00:00:01,000 --> 00:00:02,000\n- ONE?\n– TWO.\n\n2\n00:00:03,000 --> 00:00:04,000\n-THREE\n";
  EXPECT_THAT(read_as("srt", file)->texts(), ElementsAre("ONE?", "TWO.", "THREE"));
  EXPECT_EQ(read_as("srt", file)->write(std::vector<AlignedText>{{.text = "a"}, {.text = "b"}, {.text = "c"}}),
            "1\n00:00:01,000 --> 00:00:02,000\n- a\n– b\n\n2\n00:00:03,000 --> 00:00:04,000\n-c\n");
}

TEST(Subtitles, ATranslationWithoutAlignmentIsSharedOut) {
  const auto written =
      read_as("srt", kTwoCues)->write(std::vector<AlignedText>{{.text = "Bonjour, c'est une phrase."}});
  EXPECT_THAT(written, HasSubstr("--> 00:00:02,000\nBonjour,"));
  EXPECT_THAT(written, HasSubstr("phrase."));
}

TEST(Subtitles, LinesHaveAtMost42Characters) {
  EXPECT_EQ(wrap_subtitle("A short line", "\n"), "A short line");
  EXPECT_EQ(wrap_subtitle("This is a line that is longer than it may be, so that it is parted", "\n"),
            "This is a line that is longer than\nit may be, so that it is parted");
  EXPECT_EQ(wrap_subtitle("Old\nline ends", "\n"), "Old line ends");
  EXPECT_EQ(wrap_subtitle("<font color=\"a very long value of an attribute\">A b</font>", "\n"),
            "<font color=\"a very long value of an attribute\">A b</font>");
  std::string words;
  for (int i = 0; i < 40; ++i) {
    words += "word ";
  }
  const auto wrapped = wrap_subtitle(words, "\n");
  for (std::size_t begin = 0; begin < wrapped.size();) {
    const auto end = std::min(wrapped.find('\n', begin), wrapped.size());
    EXPECT_LE(end - begin, 42U);
    begin = end + 1;
  }
}

TEST(Subtitles, WebVttKeepsWhatIsNoText) {
  const std::string file =
      "WEBVTT\nKind: captions\n\nNOTE\nno text\n\nSTYLE\n::cue {}\n\n1\n00:01.000 --> 00:02.000 align:left\n<v Ann>TOM "
      "&amp; <c.x>BOB</c> <00:01.500>SAT.\n";
  EXPECT_THAT(read_as("vtt", file)->texts(), ElementsAre("TOM & BOB SAT."));
  EXPECT_EQ(capitals(*read_as("vtt", file)), file);
}

TEST(Subtitles, TimesInsideOfATextRise) {
  const auto document = read_as("vtt", "WEBVTT\n\n00:01.000 --> 00:09.000\nRed <00:02.000>apples <00:03.000>fall.\n");
  EXPECT_THAT(document->texts(), ElementsAre("Red apples fall."));
  const AlignedText translation{
      .text = "pommes rouges tombent.",
      .alignment = {{.source = 1, .target = 0}, {.source = 0, .target = 1}, {.source = 2, .target = 2}}};
  const auto written = document->write(std::vector<AlignedText>{translation});
  EXPECT_LT(written.find("<00:02.000>"), written.find("<00:03.000>"));
  EXPECT_THAT(written, HasSubstr("tombent."));
}

TEST(Subtitles, ErrorsNameTheLine) {
  EXPECT_EQ(error_of<DataError>([] { (void)read_as("srt", "1\n\ntext\n"); }),
            "file: line 1: text without a time code; expected 00:00:01,000 --> 00:00:02,000");
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("srt", "1\nx --> y\ntext\n"); }),
              HasSubstr("line 2: no time code"));
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("vtt", "1\n"); }), HasSubstr("line 1: expected WEBVTT"));
}

}  // namespace
}  // namespace translate::tools

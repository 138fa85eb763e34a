#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/utf8.h"
#include "decoding/line_encoder.h"
#include "text/tokenizer_training.h"
#include "text/vocabulary.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class LineSplitterTest : public ::testing::Test {
 protected:
  [[nodiscard]] LineParts split(const std::string& text, bool split_sentences, std::int64_t max_length = 100,
                                bool whole = false) const {
    const LineSplitter::Options options{
        .split_sentences = split_sentences, .language = "en", .max_source_length = max_length};
    return LineSplitter(tokenizer_, options).split(text, whole);
  }
  static std::vector<std::pair<std::string, std::string>> texts_of(const LineParts& line) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& part : line.parts) {
      texts.emplace_back(part.separator, part.text);
    }
    return texts;
  }

  Tokenizer tokenizer_ = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300, 1)});
};

TEST_F(LineSplitterTest, SentencesKeepWhatStandsBetweenThem) {
  const auto line = split(" Le chat.  Un val?\tMari. ", true);
  EXPECT_THAT(texts_of(line), ElementsAre(Pair("", "Le chat."), Pair("  ", "Un val?"), Pair("\t", "Mari.")));
  EXPECT_FALSE(line.was_cut());
  for (const auto& part : line.parts) {
    EXPECT_EQ(std::ssize(part.sentence.encoder_input), std::ssize(tokenizer_.encode(part.text)) + 2);
  }
}

TEST_F(LineSplitterTest, WhatIsInvisibleIsNoSentence) {
  EXPECT_TRUE(split("\u2060\u200E", true).parts.empty());
  EXPECT_THAT(texts_of(split("Le chat. \u2060", true)), ::testing::SizeIs(1));
  const auto line = split("\u2069Le cha\u00ADt.", true);
  ASSERT_EQ(line.parts.size(), 1U);
  const auto subwords = line.parts[0].sentence.source_subwords();
  EXPECT_EQ((std::vector<std::int64_t>{subwords.begin(), subwords.end()}), tokenizer_.encode("Le chat."));
}

TEST_F(LineSplitterTest, ALineStaysWholeWhereThatIsAskedFor) {
  const std::string text = "Le chat. Un val?";
  EXPECT_THAT(texts_of(split(text, false)), ElementsAre(Pair("", text)));
  EXPECT_THAT(texts_of(split(text, true, 100, /*whole=*/true)), ElementsAre(Pair("", text)));
}

TEST_F(LineSplitterTest, ALanguageTagHoldsForAllSentences) {
  std::vector<std::string> subwords = {"</s>", "<unk>", "<pad>", ">>fra<<"};
  for (std::int64_t id = 4; id < tokenizer_.vocab_size(); ++id) {
    subwords.push_back(tokenizer_.subword(id));
  }
  const auto tagged = Tokenizer::from_serialized(attach_vocabulary(tokenizer_.serialized(), subwords))
                          .for_sources(/*source_sos=*/false);
  const LineSplitter splitter(tagged, {.split_sentences = true, .language = "en", .max_source_length = 100});
  const auto line = splitter.split(">>fra<< Le chat. Un val?", /*whole=*/false);
  EXPECT_THAT(texts_of(line), ElementsAre(Pair("", ">>fra<< Le chat."), Pair(" ", "Un val?")));
  for (const auto& part : line.parts) {
    EXPECT_EQ(part.sentence.encoder_input.front(), 3);
  }
  EXPECT_EQ(line.parts[0].sentence.source_begin, 0);  // the tag is a word of the line
  EXPECT_EQ(line.parts[1].sentence.source_begin, 1);
  const auto second = line.parts[1].sentence.source_subwords();
  EXPECT_EQ((std::vector<std::int64_t>{second.begin(), second.end()}), tagged.encode("Un val?"));
}

TEST_F(LineSplitterTest, MarksOfALineAreTagsInItsSentences) {
  const auto tokenizer =
      train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300, 1)}, {">>fr<<"}, tag_symbols());
  const auto planner =
      std::make_shared<const SegmentPlanner>(TokenizerPair{.source = tokenizer, .target = tokenizer},
                                             SegmentPlanner::Languages{.source = "en", .target = "fr"});
  const LineSplitter splitter(tokenizer,
                              {.split_sentences = true, .language = "en", .max_source_length = 20, .planner = planner});
  const std::string text = ">>fr<< Le chat. Un val est un chat? Le val.";
  const auto mark_of = [&](const std::string& first, const std::string& last) {
    return TextMark{.begin = text.find(first), .end = text.find(last) + last.size()};
  };
  const std::vector<TextMark> marks = {mark_of("chat.", "Un val"), mark_of("Le val.", "Le val."), mark_of("est", "un")};
  const auto line = splitter.split(text, /*whole=*/false, nullptr, {}, marks);
  ASSERT_EQ(line.parts.size(), 3U);
  EXPECT_EQ(line.parts[0].plan.text, "Le <0>chat</0>.");
  EXPECT_EQ(line.parts[1].plan.text, "<0>Un val</0> <1>est un</1> chat?");
  EXPECT_EQ(line.parts[2].plan.text, "Le val.") << "a tag around all of it needs no symbols";
}

TEST_F(LineSplitterTest, TheTagOfTheOptionsIsThatOfALineWithoutOne) {
  const auto tagged =
      train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300, 1)}, {">>fr<<", ">>de<<"});
  const std::string sentence = "Le chat est un val.";
  const auto length = std::ssize(tagged.encode(sentence));
  const LineSplitter splitter(
      tagged, {.split_sentences = true, .language = "en", .max_source_length = length, .language_tag = ">>fr<<"});
  const auto line = splitter.split(sentence + " Un val?", /*whole=*/false);
  EXPECT_THAT(texts_of(line), ElementsAre(Pair("", sentence), Pair(" ", "Un val?")));
  EXPECT_FALSE(line.was_cut()) << "the tag does not count";
  for (const auto& part : line.parts) {
    EXPECT_EQ(part.sentence.encoder_input[1], 4);
    EXPECT_EQ(part.sentence.source_begin, 2);
  }
  const auto own = splitter.split(">>de<< " + sentence + " Un val?", /*whole=*/false);
  EXPECT_FALSE(own.was_cut());
  ASSERT_EQ(own.parts.size(), 2U);
  for (const auto& part : own.parts) {
    EXPECT_EQ(part.sentence.encoder_input[1], 5);
  }
  EXPECT_TRUE(splitter.split(" ", /*whole=*/false).parts.empty());
}

TEST_F(LineSplitterTest, ABlankLineHasNoParts) {
  EXPECT_TRUE(split("", true).parts.empty());
  EXPECT_TRUE(split(" \t", false).parts.empty());
}

TEST_F(LineSplitterTest, OnlySentencesThatAreTooLongAreCut) {
  const std::string sentence = "Le chat est un val.";
  const auto length = std::ssize(tokenizer_.encode(sentence));
  const auto fits = split(sentence + " " + sentence, true, length);
  EXPECT_EQ(fits.parts.size(), 2U);
  EXPECT_FALSE(fits.was_cut());
  const auto cut = split("Mari. " + sentence, true, length - 1);
  EXPECT_EQ(cut.longest, length);
  EXPECT_GT(cut.parts.size(), 2U);
  EXPECT_EQ(cut.parts[0].text, "Mari.");
  std::string joined;
  for (const auto& part : cut.parts) {
    EXPECT_LE(std::ssize(tokenizer_.encode(part.text)), length - 1);
    joined += part.separator + part.text;
  }
  EXPECT_EQ(joined, "Mari. " + sentence);
}

/// All parts of a line, with what stands between them.
std::string joined_parts(const LineParts& line) {
  std::string joined;
  for (const auto& part : line.parts) {
    joined += part.separator + part.text;
  }
  return joined;
}

TEST_F(LineSplitterTest, SentencesOfALineLongerThanAWindowAreThoseOfShortLines) {
  std::string text;
  std::vector<std::pair<std::string, std::string>> expected;
  for (int i = 0; text.size() < 3 * most_bytes(100); ++i) {
    const auto sentence = "Le chat est " + std::string(i % 3 + 1, 'u') + "n val.";
    const std::string separator = i == 0 ? "" : i % 2 == 0 ? "  " : "\t";
    expected.emplace_back(separator, sentence);
    text += separator + sentence;
  }
  const auto line = split(text, true);
  EXPECT_EQ(texts_of(line), expected);
  EXPECT_FALSE(line.was_cut());
  EXPECT_EQ(line.bytes, text.size());
}

TEST_F(LineSplitterTest, AWordLongerThanAWindowIsCutWithoutLoss) {
  constexpr std::int64_t kMost = 100;
  std::string word;
  while (word.size() < 2 * most_bytes(kMost)) {
    word += "lechatd\u00e9j\u00e0un";
  }
  for (const bool split_sentences : {false, true}) {
    const auto line = split("Mari. " + word + " Mari.", split_sentences, kMost);
    EXPECT_TRUE(line.was_cut());
    auto joined = joined_parts(line);
    std::erase(joined, ' ');
    EXPECT_EQ(joined, "Mari." + word + "Mari.");
    for (const auto& part : line.parts) {
      ASSERT_LE(std::ssize(part.sentence.encoder_input), kMost + 2);
    }
    EXPECT_LT(line.parts.size(), word.size() / 20);  // no shower of short parts where windows meet
  }
}

TEST_F(LineSplitterTest, WhiteSpaceLongerThanAWindowSeparatesSentences) {
  const std::string space(3 * most_bytes(100), ' ');
  const auto line = split("Mari." + space + "Mari.", true);
  EXPECT_EQ(line.parts.size(), 2U);
  EXPECT_TRUE(split(space, true).parts.empty());
}

TEST_F(LineSplitterTest, ManyLettersWithFullStopsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "A. ";
  }
  auto joined = joined_parts(split(text, true));
  EXPECT_EQ(joined + " ", text);
}

}  // namespace
}  // namespace translate

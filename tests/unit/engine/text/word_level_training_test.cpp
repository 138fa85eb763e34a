#include "text/word_level_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "text/tokenizer_training.h"
#include "text/word_level_model.h"
#include "unit/engine/text/word_level_fixture.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TokenizerOptions word_level(std::int64_t min_frequency = 1, std::int64_t vocab_size = 30000) {
  TokenizerOptions options;
  options.type = TokenizerType::kWordLevel;
  options.min_frequency = min_frequency;
  options.vocab_size = vocab_size;
  return options;
}

/// The entries of the vocabulary, by id.
Words entries(const TokenizerOptions& options, const Words& sentences, const Words& tags = {}) {
  return parse_word_level_file(train_word_level(options, {sentences}, tags), "trained").words;
}

class WordLevelOfTheCorpus : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Languages, WordLevelOfTheCorpus, ::testing::Values("en", "fr"), language_name);

TEST_P(WordLevelOfTheCorpus, IsTheFileOfThePackage) {
  const auto corpus = project_folder() / "data/en-fr" / ("train." + GetParam());
  std::istringstream lines(read_file(corpus));
  Words sentences;
  for (std::string line; std::getline(lines, line);) {
    sentences.push_back(line);
  }
  const auto trained = train_word_level(word_level(/*min_frequency=*/2), {sentences}, {});
  EXPECT_EQ(trained, golden_text_file("corpus_" + GetParam() + ".json"));
  EXPECT_EQ(Tokenizer::from_serialized(trained).vocab_size(), GetParam() == "en" ? 610 : 969);
}

TEST(WordLevelTraining, TakesTheMostFrequentWordsFirstAndEqualOnesByTheirBytes) {
  const Words text{"b a c \u00e9 z b", "zz \u00e9 b."};
  EXPECT_THAT(entries(word_level(), text),
              ElementsAre("[UNK]", "[PAD]", "[SOS]", "[EOS]", "b", "\u00e9", ".", "a", "c", "z", "zz"));
  EXPECT_THAT(entries(word_level(/*min_frequency=*/2), text),
              ElementsAre("[UNK]", "[PAD]", "[SOS]", "[EOS]", "b", "\u00e9"));
  EXPECT_THAT(entries(word_level(/*min_frequency=*/1, /*vocab_size=*/7), text),
              ElementsAre("[UNK]", "[PAD]", "[SOS]", "[EOS]", "b", "\u00e9", "."));
}

TEST(WordLevelTraining, SplitsAtSpacesAloneIfTheTextIsPretokenized) {
  auto options = word_level();
  options.pretokenized = true;
  const auto trained = train_word_level(options, {Words{"l&apos; homme [EOS]"}}, {});
  EXPECT_THAT(trained, HasSubstr("\"WhitespaceSplit\""));
  // A word that looks like a special token has no second entry.
  EXPECT_THAT(parse_word_level_file(trained, "trained").words,
              ElementsAre("[UNK]", "[PAD]", "[SOS]", "[EOS]", "homme", "l&apos;"));
}

TEST(WordLevelTraining, TagsAreSubwordsOfTheirOwn) {
  const Words text{"the cat", "the dog"};
  const auto options = word_level();
  EXPECT_THAT(entries(options, text, {">>fr<<", ">>de<<"}),
              ElementsAre("[UNK]", "[PAD]", "[SOS]", "[EOS]", ">>fr<<", ">>de<<", "the", "cat", "dog"));
  const auto tokenizer = train_tokenizer(options, {text}, {">>fr<<", ">>de<<"});
  EXPECT_THAT(tokenizer.tagged_languages(), ElementsAre("fr", "de"));
  EXPECT_THAT(tokenizer.encode(">>de<< the cat"), ElementsAre(5, 6, 7));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(">>de<< the cat")), "the cat");
}

TEST(WordLevelTraining, CountsTheWordsOfAllTexts) {
  const auto tokenizer =
      train_tokenizer(word_level(/*min_frequency=*/2), {Words{"chat", "cat"}, Words{"chat noir", "noir"}});
  EXPECT_EQ(tokenizer.vocab_size(), 4 + 2);
  EXPECT_EQ(tokenizer.special_tokens(), (SpecialTokens{.unk = 0, .sos = 2, .eos = 3, .pad = 1}));
}

TEST(WordLevelTraining, IsSilentAboutASmallVocabulary) {
  ::testing::internal::CaptureStderr();
  (void)train_tokenizer(word_level(), {Words{"the cat"}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(WordLevelTraining, RefusesAVocabularyWithoutWords) {
  EXPECT_THAT(error_of<ConfigError>([] { (void)train_tokenizer(word_level(/*min_frequency=*/3), {Words{"a a b"}}); }),
              HasSubstr("tokenizer.min_frequency is 3, but no word of the training text occurs that often"));
  EXPECT_THAT(error_of<DataError>([] { (void)train_tokenizer(word_level(), {Words{" "}}); }), HasSubstr("no sentence"));
}

}  // namespace
}  // namespace translate

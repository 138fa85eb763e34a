#include "data/corpus_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "data/round_trip.h"
#include "support/temporary_folder.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate::trainer {
namespace {

using Lines = std::vector<std::string>;

class CorpusLintTest : public TemporaryFolderTest {
 protected:
  CorpusFiles files(const std::string& name, const Lines& source, const Lines& target) {
    for (const auto& [side, lines] : {std::pair(".a", source), std::pair(".b", target)}) {
      std::ofstream file(folder_ / (name + side), std::ios::binary);
      for (const auto& line : lines) {
        file << line << '\n';
      }
    }
    return {.source = folder_ / (name + ".a"), .target = folder_ / (name + ".b")};
  }
  CorpusLint& lint(const LintOptions& options = {}) {
    lint_.emplace(config_, options);
    lint_->read_text();
    return *lint_;
  }
  [[nodiscard]] std::uint64_t count(std::size_t split, Finding finding) const {
    return lint_->splits().at(split)[finding].pairs;
  }
  [[nodiscard]] std::string place(const std::string& name, int line) const {
    return (folder_ / (name + ".a")).string() + ":" + std::to_string(line);
  }

  Config config_;
  std::optional<CorpusLint> lint_;
};

TEST_F(CorpusLintTest, NothingIsFoundInOrdinaryPairs) {
  config_.data.train = {files("train", {"a b", "c d", "a b"}, {"x", "y", "z"})};
  config_.data.validation.files = {files("val", {"e"}, {"w"})};
  EXPECT_EQ(lint().total(), 0U);
  ASSERT_EQ(lint_->splits().size(), 2U);
  EXPECT_EQ(lint_->splits()[0].pairs, 3U);
  EXPECT_EQ(lint_->splits()[1].name, "validation");
}

TEST_F(CorpusLintTest, EachKindIsFoundWhereItIs) {
  config_.data.train = {files("train", {"a", "", "a", "same", "bad \xE9", "bell \x07", "cafÃ©", "\xC2\xA0", ""},
                              {"x", "y", "x", " same ", "y", "z", "w", "v", ""})};
  lint();
  EXPECT_EQ(count(0, Finding::kEmpty), 3U);
  EXPECT_EQ(count(0, Finding::kDuplicate), 1U);
  EXPECT_EQ(count(0, Finding::kCopied), 1U);
  EXPECT_EQ(count(0, Finding::kNotUtf8), 1U);
  EXPECT_EQ(count(0, Finding::kControlCharacter), 1U);
  EXPECT_EQ(count(0, Finding::kMojibake), 1U);
  EXPECT_EQ(lint_->total(), 8U);
  const auto& duplicate = lint_->splits()[0][Finding::kDuplicate].examples;
  ASSERT_EQ(duplicate.size(), 1U);
  EXPECT_EQ(duplicate[0].place, place("train", 3));
  EXPECT_EQ(duplicate[0].source, "a");
  EXPECT_EQ(duplicate[0].target, "x");
  const auto sample = lint_->take_sample();
  EXPECT_EQ(sample.source, (Lines{"a", "a", "same", "bell \x07", "cafÃ©"}));  // what can be read as text
}

TEST_F(CorpusLintTest, TheColumnsOfATsvFileAreFound) {
  config_.data.train = {files("one", {"a\tx", "b\ty", "c"}, {"x", "y", "z"})};
  lint();
  EXPECT_EQ(count(0, Finding::kTab), 2U);
  EXPECT_EQ(lint_->total(), 2U);
}

TEST_F(CorpusLintTest, TestSentencesInTheTrainingTextAreFound) {
  config_.data.train = {files("one", {"a", "b"}, {"x", "y"}), files("two", {"c", ""}, {"z", "u"})};
  config_.data.validation.files = {files("val", {"a", "d"}, {"other", "y"})};
  config_.data.test = {files("test", {"c", "e", "c", ""}, {"z", "x", "w", "u"})};
  lint();
  EXPECT_EQ(count(0, Finding::kSourceInTraining), 0U);
  EXPECT_EQ(count(1, Finding::kSourceInTraining), 1U);
  EXPECT_EQ(count(1, Finding::kPairInTraining), 0U);
  EXPECT_EQ(count(2, Finding::kSourceInTraining), 2U);
  EXPECT_EQ(count(2, Finding::kPairInTraining), 1U);
  EXPECT_EQ(lint_->splits()[2][Finding::kPairInTraining].examples[0].place, place("test", 1));
}

TEST_F(CorpusLintTest, NoMoreExamplesThanAskedFor) {
  config_.data.train = {files("train", Lines(50, "same"), Lines(50, "same"))};
  lint({.examples = 2});
  EXPECT_EQ(count(0, Finding::kDuplicate), 49U);
  EXPECT_EQ(lint_->splits()[0][Finding::kDuplicate].examples.size(), 2U);
}

TEST_F(CorpusLintTest, LengthsAndTheVocabularyAreThoseOfTheTokenizers) {
  const auto text = sample_sentences(300, 1);
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {text});
  std::string longest;
  for (int i = 0; i < 40; ++i) {
    longest += text[static_cast<std::size_t>(i)] + " ";
  }
  config_.data.train = {
      files("train", {text[0], longest, longest, "le 漢 字漢", text[1]}, {text[1], longest + "le", "le", "le 字", ""})};
  config_.data.max_length = 100;
  lint().read_subwords({tokenizer, tokenizer});
  EXPECT_EQ(count(0, Finding::kTooLong), 2U);
  EXPECT_EQ(count(0, Finding::kUneven), 1U);
  EXPECT_EQ(lint_->splits()[0][Finding::kUneven].examples[0].place, place("train", 3));
  EXPECT_EQ(count(0, Finding::kUncovered), 1U);
  EXPECT_THAT(lint_->uncovered(), ::testing::ElementsAre(std::pair("字", 2U), std::pair("漢", 2U)));
}

TEST_F(CorpusLintTest, TargetsThatDoNotSurviveTheTokenizerAreCounted) {
  const auto text = sample_sentences(300, 1);
  TokenizerOptions options = small_tokenizer(TokenizerType::kBpe);
  options.ignorable = IgnorableCharacters::kKeep;
  const auto tokenizer = train_tokenizer(options, {text});
  config_.data.train = {
      files("train", {"a", "b", "c", "d\u00bd"}, {"le  chat", "le \ufb01 \ufb01", "le\u00a0cha\u4e2dt", "le"})};
  lint().read_subwords({tokenizer, tokenizer});
  EXPECT_EQ(count(0, Finding::kNotRestored), 2U);
  EXPECT_EQ(lint_->splits()[0][Finding::kNotRestored].examples[0].place, place("train", 2));
  EXPECT_THAT(lint_->lost(),
              ::testing::ElementsAre(std::pair("\ufb01", 2U), std::pair("\u00a0", 1U), std::pair("\u4e2d", 1U)));
  const auto losses = round_trip_losses(config_.data.train, tokenizer, 100);
  EXPECT_EQ(losses.targets, 4U);
  EXPECT_EQ(losses.changed, 2U);
  EXPECT_EQ(losses.lost, lint_->lost());
  EXPECT_EQ(describe_character("\ufb01"), "\ufb01 U+FB01");
  EXPECT_EQ(describe_character("\u00a0"), "U+00A0");
}

TEST_F(CorpusLintTest, AShortSideIsUnevenOnlyWhereTheConfigurationSaysSo) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kChar), {sample_sentences(300, 1)});
  config_.data.train = {files("train", {"le", "le le le"}, {"leleleleleleleleleleleleleleleleele", "l"})};
  lint().read_subwords({tokenizer, tokenizer});
  EXPECT_EQ(count(0, Finding::kUneven), 1U);  // the second one has few subwords altogether
  config_.data.max_length_ratio = 2.0;
  lint().read_subwords({tokenizer, tokenizer});
  EXPECT_EQ(count(0, Finding::kUneven), 2U);
}

TEST_F(CorpusLintTest, UnequalFilesAreAnError) {
  config_.data.train = {files("train", {"a", "b"}, {"x"})};
  EXPECT_THROW(lint(), DataError);
}

}  // namespace
}  // namespace translate::trainer

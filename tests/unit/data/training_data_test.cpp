#include "translate/data/training_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/core/error.h"
#include "unit/data/gzip_file.h"
#include "unit/text/sample_text.h"
#include "unit/text/temporary_folder.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TrainingDataFiles : public TemporaryFolderTest {
 protected:
  TrainingDataFiles() {
    config_.tokenizer = small_tokenizer(TokenizerType::kBpe);
    config_.data.train = {write("train", sample_sentences(300, 1), sample_sentences(300, 2))};
    config_.data.validation.files = {write("valid", sample_sentences(20, 3), sample_sentences(20, 4))};
  }

  CorpusFiles write(const std::string& name, const std::vector<std::string>& source,
                    const std::vector<std::string>& target) const {
    const auto write_lines = [&](const std::string& file, const std::vector<std::string>& lines) {
      std::string bytes;
      for (const std::string& line : lines) bytes += line + "\n";
      write_text(folder_ / file, bytes);
      return folder_ / file;
    };
    return {write_lines(name + ".en", source), write_lines(name + ".fr", target)};
  }

  /// Loads, and keeps what was logged.
  TrainingData load() {
    ::testing::internal::CaptureStderr();
    try {
      TrainingData data = load_training_data(config_, folder_ / "tokenizers");
      log_ = ::testing::internal::GetCapturedStderr();
      return data;
    } catch (...) {
      log_ = ::testing::internal::GetCapturedStderr();
      throw;
    }
  }

  template <typename Expected>
  std::string error_text() {
    try {
      (void)load();
    } catch (const Expected& error) {
      return error.what();
    }
    return "no such error";
  }

  static std::string decode(const Tokenizer& tokenizer, std::span<const std::int32_t> pieces) {
    return tokenizer.decode(std::vector<std::int64_t>(pieces.begin(), pieces.end()));
  }

  Config config_;
  std::string log_;
};

TEST_F(TrainingDataFiles, LoadsAndReports) {
  const TrainingData data = load();
  EXPECT_EQ(data.train->size(), 300U);
  EXPECT_EQ(data.validation->size(), 20U);
  EXPECT_EQ(data.validation_text.source, sample_sentences(20, 3));
  EXPECT_EQ(data.statistics.train_pairs, 300);
  EXPECT_EQ(data.statistics.longest_source, data.train->source.length(data.train->source.longest()));
  EXPECT_EQ(data.statistics.train_target_tokens, data.train->target.total_length() + 300);
  EXPECT_THAT(log_, AllOf(HasSubstr("300 training pairs"), HasSubstr("20 validation pairs"),
                          HasSubstr("longest source " + std::to_string(data.statistics.longest_source)),
                          HasSubstr("longest target " + std::to_string(data.statistics.longest_target))));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tokenizers" / "source.spm"));
}

TEST_F(TrainingDataFiles, LeavesOutTrainingPairsAndSaysSoOnce) {
  auto source = sample_sentences(50, 1);
  auto target = sample_sentences(50, 2);
  source[9] = "  ";
  target[19] = "";
  for (int i = 0; i < 100; ++i) target[29] += " le chat";
  source[39] = "le";
  target[39] = "le le le le le le le le le le";
  config_.data.train = {write("train", source, target)};
  config_.data.validation.files = {write("valid", {"", source[29], "le"}, {"le", target[29], target[39]})};
  config_.data.max_length = 60;
  config_.data.max_length_ratio = 9.0;
  config_.tokenizer.type = TokenizerType::kWord;
  const TrainingData data = load();
  EXPECT_EQ(data.statistics.blank.count, 2U);
  EXPECT_EQ(data.statistics.lengths.too_long.count, 1U);
  EXPECT_GE(data.statistics.lengths.uneven.count, 1U);
  EXPECT_EQ(data.train->size(), 50 - 3 - data.statistics.lengths.uneven.count);
  EXPECT_EQ(data.validation->size(), 3U);
  EXPECT_THAT(log_, AllOf(HasSubstr("2 training pairs left out: an empty or blank side"), HasSubstr("train.en:10"),
                          HasSubstr("1 training pair left out: longer than 60 pieces"), HasSubstr("train.en:30"),
                          HasSubstr("lengths differ by more than 9 times")));
}

TEST_F(TrainingDataFiles, HoldsOutAFractionThatTheTokenizerNeverSees) {
  auto source = sample_sentences(200, 1);
  auto target = sample_sentences(200, 2);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] += " w" + std::to_string(i);
  config_.data.train = {write("train", source, target)};
  config_.data.validation = {.files = {}, .fraction = 0.1};
  config_.tokenizer.type = TokenizerType::kWord;
  config_.tokenizer.vocab_size = 100000;
  const TrainingData data = load();
  EXPECT_EQ(data.train->size(), 180U);
  ASSERT_EQ(data.validation_text.size(), 20U);
  for (const std::string& sentence : data.validation_text.source) {
    EXPECT_THAT(data.tokenizers.source.encode(sentence), ::testing::Contains(0)) << sentence;
  }
  const auto again = load();
  EXPECT_EQ(again.validation_text.source, data.validation_text.source);
  EXPECT_THAT(log_, HasSubstr("again"));
  config_.training.seed = 2;
  EXPECT_NE(load().validation_text.source, data.validation_text.source);
}

TEST_F(TrainingDataFiles, KeepsTheTextOfSampledSidesOfThePairsThatAreLeft) {
  auto source = sample_sentences(50, 1);
  auto target = sample_sentences(50, 2);
  for (int i = 0; i < 100; ++i) target[0] += " le chat";
  source[3] = "";
  config_.data.train = {write("train", source, target)};
  config_.data.max_length = 60;
  config_.tokenizer.sampling.target = true;
  const TrainingData data = load();
  EXPECT_TRUE(data.train->source_text.empty());
  ASSERT_EQ(data.train->target_text.size(), data.train->size());
  EXPECT_EQ(data.train->size(), 48U);
  for (std::size_t i = 0; i < data.train->size(); ++i) {
    EXPECT_EQ(decode(data.tokenizers.target, data.train->target[i]), data.train->target_text[i]);
    EXPECT_EQ(data.train->target_text[i], target[data.train->origin[i].line - 1]);
  }
}

TEST_F(TrainingDataFiles, WorksWithoutValidation) {
  config_.data.validation = {};
  const TrainingData data = load();
  EXPECT_EQ(data.validation->size(), 0U);
  EXPECT_EQ(data.statistics.longest_validation_source, 0);
}

TEST_F(TrainingDataFiles, WritesNothingWhereTheDataIsWrong) {
  write_text(config_.data.validation.files[0].target, "one line\n");
  EXPECT_THAT(error_text<DataError>(), AllOf(HasSubstr("valid.en has 20 lines"), HasSubstr("valid.fr has 1")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tokenizers"));
}

TEST_F(TrainingDataFiles, SaysWhyNoPairIsLeft) {
  config_.data.max_length = 1;
  EXPECT_THAT(error_text<DataError>(), AllOf(HasSubstr("no pair is left"), HasSubstr("data.max_length 1")));
  config_.data.train = {write("train", {"", "x"}, {"y", " "})};
  EXPECT_THAT(error_text<DataError>(), AllOf(HasSubstr("no pair to train on"), HasSubstr("2 pairs")));
}

TEST_F(TrainingDataFiles, RefusesSamplingFromModelsThatCannot) {
  config_.tokenizer.type = TokenizerType::kChar;
  config_.tokenizer.sampling.source = true;
  EXPECT_THAT(error_text<ConfigError>(), HasSubstr("cannot sample"));
}

}  // namespace
}  // namespace translate

#include "data/training_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/error.h"
#include "corpora/text_splits.h"
#include "data/encoded/word_links.h"
#include "segments/stand_ins.h"
#include "segments/symbol_ids.h"
#include "segments/tag_symbols.h"
#include "segments/term_symbols.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"
#include "unit/engine/text/sample_text.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
      for (const std::string& line : lines) {
        bytes += line + "\n";
      }
      write_text(folder_ / file, bytes);
      return folder_ / file;
    };
    return {write_lines(name + ".en", source), write_lines(name + ".fr", target)};
  }

  /// Loads, and keeps what was logged.
  TrainingData load() {
    ::testing::internal::CaptureStderr();
    try {
      TrainingData data = load_training_data(config_, folders_);
      log_ = ::testing::internal::GetCapturedStderr();
      return data;
    } catch (...) {
      log_ = ::testing::internal::GetCapturedStderr();
      throw;
    }
  }

  template <typename Expected>
  std::string error_text() {
    return testing::error_of<Expected>([&] { return load(); });
  }

  static std::string decode(const Tokenizer& tokenizer, std::span<const std::int32_t> subwords) {
    return tokenizer.decode(std::vector<std::int64_t>(subwords.begin(), subwords.end()));
  }

  Config config_;
  DataFolders folders_{.tokenizers = folder_ / "tokenizers", .corpus = folder_ / "corpus", .scratch = {}};
  std::string log_;
};

TEST_F(TrainingDataFiles, LoadsAndReports) {
  const TrainingData data = load();
  EXPECT_EQ(data.train->size(), 300U);
  EXPECT_EQ(data.validation->size(), 20U);
  EXPECT_EQ(data.validation_text.source, sample_sentences(20, 3));
  EXPECT_EQ(data.statistics.train_pairs, 300);
  EXPECT_EQ(data.statistics.longest_source, data.train->statistics().longest_source);
  EXPECT_EQ(data.statistics.train_target_tokens, data.train->statistics().target_subwords + 300);
  EXPECT_THAT(log_, AllOf(HasSubstr("300 training pairs"), HasSubstr("20 validation pairs"),
                          HasSubstr("longest source " + std::to_string(data.statistics.longest_source)),
                          HasSubstr("longest target " + std::to_string(data.statistics.longest_target))));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tokenizers" / "source.spm"));
}

TEST_F(TrainingDataFiles, RefusesTwoEqualSides) {
  const auto validation = config_.data.validation.files;
  const auto train = config_.data.train;
  config_.data.train[0].target = train[0].source;
  EXPECT_THAT(error_text<DataError>(),
              AllOf(HasSubstr("data.train: " + train[0].source.string() + " is both source and target"),
                    HasSubstr("cut -f 1 FILE.tsv")));
  config_.data.train = {write("copy", sample_sentences(30, 1), sample_sentences(30, 1))};
  EXPECT_THAT(error_text<DataError>(), HasSubstr("copy.fr have the same content"));
  config_.data.train.push_back(train[0]);  // text to copy beside other text is a method (Currey et al. 2017)
  EXPECT_EQ(load().train->size(), 330U);
  EXPECT_THAT(log_, HasSubstr("copy.fr have the same content: the model also learns to copy"));
  config_.data.validation.files[0].source = validation[0].target;
  EXPECT_THAT(error_text<DataError>(), HasSubstr("data.validation: "));
}

TEST_F(TrainingDataFiles, WarnsOfAVocabularyThatDoesNotFitTheText) {
  (void)load();
  EXPECT_THAT(log_, Not(HasSubstr("unknown")));
  config_.tokenizer.source_model = folder_ / "tokenizers/source.spm";
  config_.tokenizer.target_model = folder_ / "tokenizers/target.spm";
  auto target = sample_sentences(50, 2);
  for (auto& sentence : target) {
    sentence += " \u4f60\u597d";
  }
  config_.data.train = {write("other", sample_sentences(50, 1), target)};
  (void)load();
  EXPECT_THAT(log_, AllOf(HasSubstr("% of the target subwords of the training text are unknown"),
                          Not(HasSubstr("source subwords of the training text"))));
}

TEST_F(TrainingDataFiles, LeavesOutTrainingPairsAndSaysSoOnce) {
  auto source = sample_sentences(50, 1);
  auto target = sample_sentences(50, 2);
  source[9] = "  ";
  target[19] = "";
  for (int i = 0; i < 100; ++i) {
    target[29] += " le chat";
  }
  source[39] = "le";
  target[39] = "le le le le le le le le le le";
  config_.data.train = {write("train", source, target)};
  config_.data.validation.files = {write("valid", {"", source[29], "le"}, {"le", target[29], target[39]})};
  config_.data.max_length = 60;
  config_.data.max_length_ratio = 9.0;
  config_.tokenizer.type = TokenizerType::kWord;
  const TrainingData data = load();
  EXPECT_EQ(data.statistics.blank.count, 2U);
  EXPECT_EQ(data.statistics.too_long.count, 1U);
  EXPECT_GE(data.statistics.uneven.count, 1U);
  EXPECT_EQ(data.train->size(), 50 - 3 - data.statistics.uneven.count);
  EXPECT_EQ(data.validation->size(), 3U);
  EXPECT_THAT(log_, AllOf(HasSubstr("2 training pairs left out: an empty or blank side"), HasSubstr("train.en:10"),
                          HasSubstr("1 training pair left out: longer than 60 subwords"), HasSubstr("train.en:30"),
                          HasSubstr("lengths differ by more than 9 times")));
}

TEST_F(TrainingDataFiles, HoldsOutAFractionThatTheTokenizerNeverSees) {
  auto source = sample_sentences(200, 1);
  auto target = sample_sentences(200, 2);
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] += " w" + std::to_string(i);
  }
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

TEST_F(TrainingDataFiles, AWordLevelTokenizerSeesTheHeldOutFractionToo) {
  auto source = sample_sentences(200, 1);
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] += " w" + std::to_string(i);
  }
  config_.data.train = {write("train", source, sample_sentences(200, 2))};
  config_.data.validation = {.files = {}, .fraction = 0.1};
  config_.tokenizer.type = TokenizerType::kWordLevel;
  config_.tokenizer.vocab_size = 100000;
  const TrainingData data = load();
  EXPECT_EQ(data.train->size(), 180U);
  const auto unknown = data.tokenizers.source.special_tokens().unk;
  for (const std::string& sentence : data.validation_text.source) {
    EXPECT_THAT(data.tokenizers.source.encode(sentence), ::testing::Not(::testing::Contains(unknown))) << sentence;
  }
}

TEST_F(TrainingDataFiles, KeepsTheTextOfSampledSidesOfThePairsThatAreLeft) {
  auto source = sample_sentences(50, 1);
  auto target = sample_sentences(50, 2);
  for (int i = 0; i < 100; ++i) {
    target[0] += " le chat";
  }
  source[3] = "";
  config_.data.train = {write("train", source, target)};
  config_.data.max_length = 60;
  config_.tokenizer.sampling.target = true;
  const TrainingData data = load();
  EXPECT_FALSE(data.train->has_text(Side::kSource));
  ASSERT_TRUE(data.train->has_text(Side::kTarget));
  EXPECT_EQ(data.train->size(), 48U);
  for (std::size_t i = 0; i < data.train->size(); ++i) {
    EXPECT_EQ(decode(data.tokenizers.target, data.train->subwords(Side::kTarget, i)),
              data.train->text(Side::kTarget, i));
    EXPECT_EQ(data.train->text(Side::kTarget, i), target[data.train->origin(i).line - 1]);
  }
}

TEST_F(TrainingDataFiles, WorksWithoutValidation) {
  config_.data.validation = {};
  const TrainingData data = load();
  EXPECT_EQ(data.validation, nullptr);
  EXPECT_EQ(data.statistics.longest_validation_source, 0);
}

TEST_F(TrainingDataFiles, WarnsOfValidationThatSaysNothing) {
  config_.training.patience = 3;
  config_.data.validation.files = {write("valid", {}, {})};
  (void)load();
  EXPECT_THAT(log_, HasSubstr("data.validation: its files hold no line"));
  config_.data.validation.files = {write("valid", {"", " ", "a"}, {"x", "y", " "})};
  (void)load();
  EXPECT_THAT(log_, HasSubstr("data.validation: all of its 3 pairs have an empty or blank side"));
}

TEST_F(TrainingDataFiles, RefusesPatienceAsTheOnlyLimitWithoutALineToValidateOn) {
  config_.training.patience = 3;
  config_.training.max_steps = 0;
  config_.data.validation.files = {write("valid", {}, {})};
  EXPECT_THAT(error_text<DataError>(),
              AllOf(HasSubstr("data.validation"), HasSubstr("training.patience"), HasSubstr("would never end")));
}

TEST_F(TrainingDataFiles, WritesNothingWhereTheDataIsWrong) {
  write_text(config_.data.validation.files[0].target, "one line\n");
  EXPECT_THAT(error_text<DataError>(), AllOf(HasSubstr("valid.en has 20 lines"), HasSubstr("valid.fr has 1")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tokenizers"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "corpus"));
}

TEST_F(TrainingDataFiles, ReadsNoTextTheSecondTime) {
  load();
  config_.data.validation.files = {};  // the text of which is younger than what is relied on
  const auto time = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& file : {config_.data.train[0].source, config_.data.train[0].target}) {
    std::filesystem::last_write_time(file, time);
  }
  load();
  write_text(config_.data.train[0].source,
             std::string(std::filesystem::file_size(config_.data.train[0].source), '\xFF'));
  std::filesystem::last_write_time(config_.data.train[0].source, time);
  const TrainingData data = load();  // the text is wrong now, but nobody reads it
  EXPECT_EQ(data.train->size(), 300U);
  EXPECT_THAT(log_, AllOf(HasSubstr("training.pairs again"), HasSubstr("tokenizer: using")));
}

TEST_F(TrainingDataFiles, SharesEncodedPairsInACacheFolder) {
  config_.data.cache_dir = folder_ / "cache";
  const auto run = [&](const char* name) {
    folders_ = data_folders(config_, folder_ / name);
    return load();
  };
  run("first");
  EXPECT_THAT(log_, HasSubstr("encoded 300 training pairs"));
  run("second");
  EXPECT_THAT(log_, ::testing::Not(HasSubstr("encoded 300 training pairs")));
  config_.data.max_length = 30;
  run("second");
  EXPECT_THAT(log_, HasSubstr("encoded 300 training pairs"));
  config_.data.max_length = 256;
  run("second");  // both stay
  EXPECT_THAT(log_, ::testing::Not(HasSubstr("encoded 300 training pairs")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "first" / "corpus"));
}

TEST_F(TrainingDataFiles, WritesToTheScratchFolderAlone) {
  folders_.scratch = folder_ / "scratch";
  EXPECT_EQ(load().train->size(), 300U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "corpus"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "scratch"));
}

TEST_F(TrainingDataFiles, ReadsTheValidationPairsOfAFractionAsTrainingHoldsThemOut) {
  config_.data.validation = {.files = {}, .fraction = 0.1};
  const TrainingData data = load();
  const ParallelCorpus text = read_validation_text(config_);
  EXPECT_EQ(text.size(), 30U);
  EXPECT_EQ(text.source, data.validation_text.source);
  EXPECT_EQ(text.target, data.validation_text.target);
  EXPECT_EQ(text.origin, data.validation_text.origin);
}

TEST_F(TrainingDataFiles, SaysWhyNoPairIsLeft) {
  config_.data.max_length = 1;
  EXPECT_THAT(error_text<DataError>(), AllOf(HasSubstr("no pair is left"), HasSubstr("data.max_length 1")));
  config_.data.train = {write("train", {"", "x"}, {"y", " "})};
  EXPECT_THAT(error_text<DataError>(), AllOf(HasSubstr("no pair to train on"), HasSubstr("2 pairs")));
}

TEST_F(TrainingDataFiles, PlaceholdersHaveSymbolsInTheVocabularyAndLinks) {
  EXPECT_FALSE(symbol_ids(load().tokenizers.source, placeholder_symbols()));
  EXPECT_FALSE(load().links);
  config_.data.modifiers.placeholders = 0.1;
  const auto data = load();
  EXPECT_TRUE(symbol_ids(data.tokenizers.source, placeholder_symbols()));
  EXPECT_TRUE(symbol_ids(data.tokenizers.target, placeholder_symbols()));
  ASSERT_TRUE(data.links);
  EXPECT_GT(data.links->size(), 0U);
  config_.data.modifiers = {.keep = 0.1};
  EXPECT_TRUE(load().links);
  EXPECT_FALSE(symbol_ids(load().tokenizers.source, placeholder_symbols()));
}

TEST_F(TrainingDataFiles, GivenLinksBetweenWordsBecomeThoseOfTheirSubwords) {
  const auto text = read_parallel_corpus(config_.data.train);
  const auto are_crossed = [&](std::size_t pair) {
    return text.source[pair].find(' ') != std::string::npos && text.target[pair].find(' ') != std::string::npos;
  };
  std::string lines;
  for (std::size_t pair = 0; pair < text.size(); ++pair) {
    lines += are_crossed(pair) ? "0-1 1-0\n" : "\n";
  }
  write_text(folder_ / "links", lines);
  config_.training.guided_alignment = GuidedAlignment::kAuto;
  config_.data.train.front().alignment = folder_ / "links";
  const auto data = load();
  ASSERT_EQ(data.train->size(), text.size());
  for (std::size_t pair = 0; pair < text.size(); ++pair) {
    const auto expected = are_crossed(pair) ? Alignment{{0, 1}, {1, 0}} : Alignment();
    EXPECT_EQ(word_links(*data.train, data.tokenizers, pair, data.links->links(pair)), expected) << pair;
    EXPECT_GE(data.links->links(pair).size(), expected.size());
  }
  (void)load();
  EXPECT_THAT(log_, HasSubstr("using the given links"));
  write_text(folder_ / "links", (are_crossed(0) ? "0-0 " : "0-0") + lines);
  EXPECT_GT(load().links->size(), data.links->size()) << "links that have changed are read again";
}

TEST_F(TrainingDataFiles, RefusesLinksThatDoNotFitTheText) {
  config_.training.guided_alignment = GuidedAlignment::kAuto;
  config_.data.train.front().alignment = folder_ / "links";
  const auto error_with = [&](const std::string& lines) {
    write_text(folder_ / "links", lines);
    return error_text<DataError>();
  };
  const std::string empty(300, '\n');
  EXPECT_THAT(error_with("0-0\n"), AllOf(HasSubstr("links has 1 line, and "), HasSubstr("a line of their own")));
  EXPECT_THAT(error_with(empty + "\n"), AllOf(HasSubstr("links has 301 lines"), HasSubstr("has 300")));
  EXPECT_THAT(error_with("\n0-99" + empty.substr(1)), AllOf(HasSubstr("links:2: the link 0-99 lies outside")));
  EXPECT_THAT(error_with("\n0 1" + empty.substr(1)), AllOf(HasSubstr("links:2: expected links SOURCE-TARGET")));
  std::filesystem::remove(folder_ / "links");
  EXPECT_THAT(error_text<DataError>(), HasSubstr("links: No such file"));
}

TEST_F(TrainingDataFiles, TermsHaveSymbolsInTheVocabulary) {
  config_.data.modifiers.terms = 0.1;
  const auto changed = load();
  EXPECT_TRUE(symbol_ids(changed.tokenizers.source, term_symbols()));
  EXPECT_TRUE(symbol_ids(changed.tokenizers.target, term_symbols()));
  EXPECT_TRUE(changed.links);
}

TEST_F(TrainingDataFiles, TagsHaveSymbolsInTheVocabularyAndWithMarkupInTheText) {
  config_.data.modifiers.tags = 0.1;
  const auto changed = load();
  EXPECT_TRUE(symbol_ids(changed.tokenizers.source, tag_symbols()));
  EXPECT_TRUE(changed.links);
  config_.data.modifiers = {};
  EXPECT_FALSE(symbol_ids(load().tokenizers.target, tag_symbols()));
  config_.data.train.front().markup = Markup::kHtml;
  const auto read = load();
  EXPECT_TRUE(symbol_ids(read.tokenizers.source, tag_symbols()));
  EXPECT_TRUE(symbol_ids(read.tokenizers.target, tag_symbols()));
  EXPECT_FALSE(read.links);
}

TEST_F(TrainingDataFiles, RefusesPlaceholdersWithATokenizerThatLacksTheirSymbols) {
  load();
  config_.data.modifiers.placeholders = 0.1;
  config_.tokenizer.source_model = folder_ / "tokenizers" / "source.spm";
  EXPECT_THAT(error_text<ConfigError>(),
              AllOf(HasSubstr("data.modifiers.placeholders: the source tokenizer lacks the symbols {0} to {9}"),
                    HasSubstr("--user_defined_symbols={0},{1},")));
}

TEST_F(TrainingDataFiles, RefusesSamplingFromModelsThatCannot) {
  config_.tokenizer.type = TokenizerType::kChar;
  config_.tokenizer.sampling.source = true;
  EXPECT_THAT(error_text<ConfigError>(), HasSubstr("cannot sample"));
}

}  // namespace
}  // namespace translate::trainer

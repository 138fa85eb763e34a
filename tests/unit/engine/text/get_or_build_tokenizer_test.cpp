#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

class GetOrBuildTokenizer : public TemporaryFolderTest {
 protected:
  /// What was logged while the tokenizers were got.
  std::string get(const TokenizerOptions& options) {
    ::testing::internal::CaptureStderr();
    std::string text;  // what identifies the text: all of it
    for (const auto* side : {&source_, &target_}) {
      for (const std::string& sentence : *side) {
        text += sentence + "|";
      }
    }
    const auto read_text = [this] {
      ++reads_;
      return TokenizerText{.source = source_, .target = target_};
    };
    pair_ = get_or_build_tokenizer(options, {.text = text, .read_text = read_text, .tags = tags_, .symbols = symbols_},
                                   cache_);
    return ::testing::internal::GetCapturedStderr();
  }

  std::vector<std::string> source_ = sample_sentences(200, 1);
  std::vector<std::string> target_ = sample_sentences(200, 2);
  std::filesystem::path cache_ = folder_ / "run" / "tokenizers";
  std::optional<TokenizerPair> pair_;
  int reads_ = 0;  // of the text
  std::vector<std::string> tags_;
  std::vector<std::string> symbols_;
  TokenizerOptions options_ = small_tokenizer(TokenizerType::kBpe);
};

TEST_F(GetOrBuildTokenizer, BuildsOnceForTheSameTextAndSettings) {
  EXPECT_THAT(get(options_), HasSubstr("training one bpe model on 400 sentences"));
  const std::string model = pair_->source.serialized();
  EXPECT_TRUE(have_same_subwords(pair_->source, pair_->target));
  EXPECT_EQ(read_file(cache_ / "source.spm"), model);
  EXPECT_EQ(read_file(cache_ / "target.spm"), pair_->target.serialized());
  EXPECT_EQ(reads_, 1);
  EXPECT_THAT(get(options_), HasSubstr("again"));
  EXPECT_EQ(pair_->source.serialized(), model);
  EXPECT_EQ(reads_, 1);
}

TEST_F(GetOrBuildTokenizer, WhatWasBuiltIsFoundWithoutTheText) {
  EXPECT_FALSE(built_tokenizers(cache_));
  get(options_);
  const auto built = built_tokenizers(cache_);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->source.serialized(), pair_->source.serialized());
  EXPECT_EQ(built->target.serialized(), pair_->target.serialized());
  std::filesystem::remove(cache_ / "target.spm");
  EXPECT_FALSE(built_tokenizers(cache_));
}

TEST_F(GetOrBuildTokenizer, BuildsOneModelASideWhenNotShared) {
  options_.shared = false;
  EXPECT_THAT(get(options_), HasSubstr("training two"));
  EXPECT_EQ(pair_->source.serialized(), train_tokenizer(options_, {source_}).serialized());
  options_.normalization = options_.of_targets();
  EXPECT_EQ(pair_->target.serialized(), train_tokenizer(options_, {target_}).serialized());
  EXPECT_NE(pair_->source.serialized(), pair_->target.serialized());
}

TEST_F(GetOrBuildTokenizer, OnlyTheSourceHasTagsWhenNotShared) {
  options_.shared = false;
  tags_ = {">>fr<<"};
  get(options_);
  EXPECT_EQ(pair_->source.tagged_languages(), std::vector<std::string>{"fr"});
  EXPECT_TRUE(pair_->target.tagged_languages().empty());
}

TEST_F(GetOrBuildTokenizer, BothSidesHaveTheSymbols) {
  symbols_ = {"{0}"};
  for (const bool shared : {true, false}) {
    options_.shared = shared;
    get(options_);
    EXPECT_EQ(pair_->source.subword(4), "{0}");
    EXPECT_EQ(pair_->target.subword(4), "{0}");
  }
}

TEST_F(GetOrBuildTokenizer, WordLevelOnesAreJsonFiles) {
  get(options_);
  options_ = small_tokenizer(TokenizerType::kWordLevel, 1000);
  EXPECT_THAT(get(options_), HasSubstr("training one wordlevel model on 400 sentences"));
  EXPECT_EQ(read_file(cache_ / "source.json"), pair_->source.serialized());
  EXPECT_FALSE(std::filesystem::exists(cache_ / "source.spm"));  // of the former configuration
  EXPECT_THAT(get(options_), HasSubstr("again"));
  EXPECT_EQ(built_tokenizers(cache_)->target.serialized(), pair_->target.serialized());
  options_.min_frequency = 2;
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
  get(small_tokenizer(TokenizerType::kBpe));
  EXPECT_FALSE(std::filesystem::exists(cache_ / "target.json"));
  EXPECT_EQ(built_tokenizers(cache_)->target.serialized(), pair_->target.serialized());
}

TEST_F(GetOrBuildTokenizer, BuildsAnewWhenAnythingChanges) {
  const std::vector<void (*)(TokenizerOptions&)> changes{
      [](TokenizerOptions& options) { options.type = TokenizerType::kUnigram; },
      [](TokenizerOptions& options) { options.vocab_size = 100; },
      [](TokenizerOptions& options) { options.shared = false; },
      [](TokenizerOptions& options) { options.character_coverage = 0.98; },
      [](TokenizerOptions& options) { options.byte_fallback = true, options.vocab_size = 400; },
      [](TokenizerOptions& options) { options.normalization = Normalization::kIdentity; },
      [](TokenizerOptions& options) { options.target_normalization = Normalization::kNfkc; },
      [](TokenizerOptions& options) { options.ignorable = IgnorableCharacters::kKeep; },
      [](TokenizerOptions& options) { options.pretokenized = true; },
  };
  for (const auto change : changes) {
    get(options_);
    TokenizerOptions changed = options_;
    change(changed);
    EXPECT_THAT(get(changed), HasSubstr("tokenizer: training"));
  }
  tags_ = {">>fr<<"};
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
  EXPECT_EQ(pair_->source.tagged_languages(), std::vector<std::string>{"fr"});
  EXPECT_THAT(get(options_), HasSubstr("again"));
  tags_ = {">>fr<<", ">>de<<"};
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
  tags_.clear();
  get(options_);
  symbols_ = {"{0}"};
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
  EXPECT_THAT(get(options_), HasSubstr("again"));
  symbols_.clear();
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
  source_.back() += 'x';
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
  target_.pop_back();
  EXPECT_THAT(get(options_), HasSubstr("tokenizer: training"));
}

TEST_F(GetOrBuildTokenizer, SamplingNeedsNoNewModel) {
  get(options_);
  options_.sampling.source = true;
  EXPECT_THAT(get(options_), HasSubstr("again"));
}

TEST_F(GetOrBuildTokenizer, BuildsAnewWhatIsDamaged) {
  for (const char* name : {"source.spm", "target.spm", "fingerprint.txt"}) {
    get(options_);
    std::ofstream(cache_ / name, std::ios::app) << 'x';
    EXPECT_THAT(get(options_), HasSubstr("tokenizer: training")) << name;
    std::filesystem::remove(cache_ / name);
    EXPECT_THAT(get(options_), HasSubstr("tokenizer: training")) << name;
  }
}

TEST_F(GetOrBuildTokenizer, UsesReadyModels) {
  std::ofstream(folder_ / "a.spm") << train_tokenizer(options_, {source_}).serialized();
  std::ofstream(folder_ / "b.spm") << train_tokenizer(options_, {target_}).serialized();
  TokenizerOptions ready;
  ready.source_model = folder_ / "a.spm";
  get(ready);
  EXPECT_EQ(pair_->target.serialized(), read_file(folder_ / "a.spm"));
  ready.target_model = folder_ / "b.spm";
  EXPECT_THROW(load_ready_tokenizers(ready), ConfigError) << "a shared vocabulary of two models";
  ready.shared = false;
  EXPECT_THAT(get(ready), HasSubstr("b.spm"));
  EXPECT_EQ(pair_->source.serialized(), read_file(folder_ / "a.spm"));
  EXPECT_EQ(pair_->target.serialized(), read_file(folder_ / "b.spm"));
  EXPECT_FALSE(std::filesystem::exists(cache_));
}

TEST_F(GetOrBuildTokenizer, AsksForTheSecondModelWhenNotShared) {
  options_.shared = false;
  options_.source_model = folder_ / "a.spm";
  try {
    get(options_);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(error.what(), HasSubstr("tokenizer.target_model"));
  }
}

}  // namespace
}  // namespace translate

// The configurations of the paper's models, counted to the last value.

#include <gtest/gtest.h>

#include <filesystem>

#include "config/config_file.h"
#include "modules/transformer.h"
#include "support/folders.h"

namespace translate::trainer {
namespace {

constexpr VocabularySizes kPresetSizes{.source = 37000, .target = 37000, .source_pad = 3, .target_pad = 3};
const std::filesystem::path kConfigs = project_folder() / "configs";

std::int64_t count_of(const Config& config) { return parameter_count(Transformer(config.model, kPresetSizes)); }

TEST(Presets, BaseHasThePapersNumbers) {
  const auto post = read_config(kConfigs / "transformer-base.json");
  EXPECT_EQ(count_of(post), 63084680 - 2048);
  EXPECT_EQ(count_of(read_config(kConfigs / "transformer-base.json", {"model.norm=pre"})), 63084680);
  EXPECT_EQ(post.tokenizer.vocab_size, 37000);
  EXPECT_EQ(post.model.norm, NormPlacement::kPost);
  EXPECT_EQ(post.model.dropout, 0.1);
  EXPECT_EQ(post.training.max_steps, 100000);
  EXPECT_EQ(post.training.warmup_steps, 4000);
  EXPECT_EQ(post.training.schedule, ScheduleKind::kNoam);
  EXPECT_EQ(post.training.label_smoothing, 0.1);
  EXPECT_EQ(post.training.batch_tokens.tokens * post.training.accumulation_steps, 25000);
}

TEST(Presets, BigHasThePapersNumbers) {
  // Its 214 million values are made once: the norms' share is the same arithmetic as in the base model.
  const auto post = read_config(kConfigs / "transformer-big.json");
  EXPECT_EQ(count_of(post), 214212744 - 4096);
  EXPECT_EQ(post.model.norm, NormPlacement::kPost);
  EXPECT_EQ(post.model.dropout, 0.3);
  EXPECT_EQ(post.training.max_steps, 300000);
  EXPECT_EQ(post.training.batch_tokens.tokens * post.training.accumulation_steps, 25000);
}

}  // namespace
}  // namespace translate::trainer

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "data/batches/bilingual_dataset.h"
#include "data/batches/data_loader.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

TEST(HeaviestBatchTest, IsABatchOfThePlanAndNoneIsHeavier) {
  const auto sample = sample_corpus(80);
  for (const std::int64_t tokens : {20, 200, 1000000}) {
    const auto weigh = [](std::int64_t rows, std::int64_t source, std::int64_t target) {
      return static_cast<double>(rows * (source * source + target));
    };
    const auto batch = heaviest_batch(
        sample.encoded, sample.tokenizers, tokens,
        [&](std::int64_t rows, const PairLength& longest) { return weigh(rows, longest.source, longest.target); });
    const LoaderOptions options{.batch = {.batch_tokens = tokens}, .sampling = {}, .max_length = 256, .seed = 0};
    EpochLoader loader(sample.encoded, sample.tokenizers, options, /*epoch=*/0);
    double most = 0.0;
    bool found = false;
    while (const auto next = loader.next()) {
      most = std::max(most, weigh(next->sentences(), next->source_length(), next->target_length()));
      found = found || (next->indices == batch.indices && at::equal(next->label, batch.label) &&
                        at::equal(next->encoder_input.ids, batch.encoder_input.ids));
    }
    EXPECT_TRUE(found) << tokens;
    EXPECT_EQ(weigh(batch.sentences(), batch.source_length(), batch.target_length()), most) << tokens;
  }
}

}  // namespace
}  // namespace translate::trainer

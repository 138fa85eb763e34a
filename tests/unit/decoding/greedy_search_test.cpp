#include "translate/decoding/greedy_search.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "translate/data/corpus.h"
#include "translate/decoding/loaded_model.h"
#include "translate/model/evaluation_mode.h"
#include "translate/text/sequence_ids.h"

namespace translate {
namespace {

constexpr SpecialTokens kSpecial{};  // unk 0, sos 1, eos 2, pad 3
constexpr double kNearTie = 1e-4;

Transformer random_model(std::uint64_t seed) {
  ModelOptions options;
  options.d_model = 32;
  options.encoder_layers = 2;
  options.decoder_layers = 2;
  options.num_heads = 4;
  options.d_ff = 64;
  at::manual_seed(seed);
  auto model = build_transformer(options, {.source = 50, .target = 50, .source_pad = 3, .target_pad = 3});
  const at::NoGradGuard no_grad;
  for (auto& [name, parameter] : unique_parameters(model)) {
    at::Tensor(parameter).mul_(1.5);  // livelier than a fresh model: it ends sentences and does not only repeat itself
  }
  model->eval();
  return model;
}

/// A sentence decoded by the definition: no cache, no batch, the whole pass anew for each piece.
struct Plain {
  std::vector<std::int64_t> ids;
  double score = 0.0;
  bool near_tie = false;
};

Plain plain_greedy(Transformer& model, const at::Tensor& source, std::int64_t limit, const SpecialTokens& special) {
  Plain result;
  std::vector<std::int64_t> input = {special.sos};
  while (std::ssize(result.ids) < limit) {
    const auto tgt = at::tensor(input, at::kLong).unsqueeze(0);
    auto logits = model(source, tgt)[0][-1].clone();
    for (const auto id : {special.unk, special.sos, special.pad}) {
      logits[id] = -std::numeric_limits<float>::infinity();
    }
    const auto scores = at::log_softmax(logits, 0);
    const auto best = std::get<0>(scores.topk(2));
    result.near_tie = result.near_tie || (best[0] - best[1]).item<double>() < kNearTie;
    const auto id = scores.argmax().item<std::int64_t>();
    result.score += scores[id].item<double>();
    if (id == special.eos) {
      break;
    }
    result.ids.push_back(id);
    input.push_back(id);
  }
  return result;
}

at::Tensor padded(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t pad) {
  std::size_t longest = 0;
  for (const auto& row : rows) {
    longest = std::max(longest, row.size());
  }
  auto batch = at::full({std::ssize(rows), static_cast<std::int64_t>(longest)}, pad, at::kLong);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    batch[static_cast<std::int64_t>(i)].slice(0, 0, std::ssize(rows[i])).copy_(at::tensor(rows[i], at::kLong));
  }
  return batch;
}

TEST(GreedySearch, BatchAndCacheChangeNothing) {
  std::size_t ended = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto model = random_model(seed);
    const EvaluationMode evaluation(model);
    std::vector<std::vector<std::int64_t>> rows;
    std::vector<std::int64_t> limits;
    for (std::int64_t i = 0; i < 12; ++i) {
      std::vector<std::int64_t> row = {kSpecial.sos};
      const auto words = at::randint(4, 50, {1 + i}, at::kLong);
      row.insert(row.end(), words.const_data_ptr<std::int64_t>(), words.const_data_ptr<std::int64_t>() + words.numel());
      row.push_back(kSpecial.eos);
      rows.push_back(row);
      limits.push_back(5 + 3 * (i % 7));
    }
    const auto together = greedy_search(model, padded(rows, kSpecial.pad), limits, kSpecial);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto alone = plain_greedy(model, at::tensor(rows[i], at::kLong).unsqueeze(0), limits[i], kSpecial);
      if (alone.near_tie) {
        continue;
      }
      ++compared;
      EXPECT_EQ(together[i].ids, alone.ids) << "seed " << seed << " row " << i;
      EXPECT_NEAR(together[i].score, alone.score, 1e-3);
      EXPECT_EQ(together[i].truncated, std::ssize(alone.ids) == limits[i]);
      ended += together[i].truncated ? 0U : 1U;
      for (const auto id : together[i].ids) {
        EXPECT_TRUE(id != kSpecial.unk && id != kSpecial.sos && id != kSpecial.pad && id != kSpecial.eos);
      }
    }
  }
  EXPECT_GT(compared, 40U);  // both kinds of end were seen
  EXPECT_GT(ended, 0U);
  EXPECT_LT(ended, compared);
}

TEST(GreedySearch, AnEmptyBatchGivesNothing) {
  auto model = random_model(1);
  EXPECT_TRUE(greedy_search(model, at::empty({0, 3}, at::kLong), {}, kSpecial).empty());
}

TEST(GreedySearch, SpecialPiecesAreNeverGeneratedHoweverLikely) {
  auto model = random_model(2);
  const EvaluationMode evaluation(model);
  for (const auto id : {kSpecial.unk, kSpecial.sos, kSpecial.pad}) {
    model->projection_layer->proj->bias[id] = 1e4;
  }
  const std::vector<std::int64_t> limits = {8};
  const auto source = at::tensor({1, 5, 6, 2}, at::kLong).unsqueeze(0);
  const auto hypotheses = greedy_search(model, source, limits, kSpecial);
  EXPECT_FALSE(hypotheses[0].ids.empty());
  for (const auto id : hypotheses[0].ids) {
    EXPECT_GE(id, 4);
  }
}

// The same on a trained model and real sentences, where one is at hand:
//   TRANSLATE_CHECKPOINT=runs/x/checkpoints/step-00001000 TRANSLATE_SENTENCES=test.en
//   build/release/tests/decoding_tests
TEST(GreedySearch, RealSentencesBatchedEqualOneByOneWithoutACache) {
  const char* folder = std::getenv("TRANSLATE_CHECKPOINT");
  const char* file = std::getenv("TRANSLATE_SENTENCES");
  if (folder == nullptr || file == nullptr) {
    GTEST_SKIP() << "set TRANSLATE_CHECKPOINT and TRANSLATE_SENTENCES to compare on a model and text of yours";
  }
  auto loaded = load_model(Checkpoint(folder, Verify::kInference), c10::kCPU);
  const EvaluationMode evaluation(loaded.model);
  const auto& special = loaded.tokenizers.target.special_tokens();
  std::size_t sentences = 0;
  std::size_t different = 0;
  std::size_t different_ties = 0;
  const auto lines = read_lines(file);
  constexpr std::size_t kBatch = 64;
  for (std::size_t begin = 0; begin < lines.size(); begin += kBatch) {
    std::vector<std::vector<std::int64_t>> rows;
    std::vector<std::int64_t> limits;
    for (std::size_t i = begin; i < std::min(begin + kBatch, lines.size()); ++i) {
      rows.push_back(encoder_input_ids(loaded.tokenizers.source, lines[i]));
      limits.push_back(2 * std::ssize(rows.back()));
    }
    const auto together =
        greedy_search(loaded.model, padded(rows, loaded.tokenizers.source.special_tokens().pad), limits, special);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto alone = plain_greedy(loaded.model, at::tensor(rows[i], at::kLong).unsqueeze(0), limits[i], special);
      ++sentences;
      if (together[i].ids != alone.ids) {
        ++(alone.near_tie ? different_ties : different);
      }
    }
  }
  std::cout << sentences << " sentences, " << different << " different, " << different_ties
            << " different with two best pieces within " << kNearTie << '\n';
  EXPECT_EQ(different, 0U);
}

}  // namespace
}  // namespace translate

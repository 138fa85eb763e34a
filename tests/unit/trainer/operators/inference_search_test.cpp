// What searches find with a Transformer is what its definition says, whichever implementation computes it.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "corpora/corpus_reader.h"
#include "decoding/model_loading.h"
#include "decoding/scheduling/decoding_scheduler.h"
#include "modules/transformer.h"
#include "operators/operator_model.h"
#include "support/pointers.h"
#include "text/tokenizer.h"

namespace translate::trainer {
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

/// A sentence decoded by the definition: no cache, no batch, the whole pass anew for each subword.
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

DecodingScheduler greedy_scheduler(const Transformer& model, const SpecialTokens& special) {
  SearchOptions options{.decoding = {}, .target = special, .early_stopping = true};
  options.decoding.beam_size = 1;
  return {make_inference_model(model, c10::kCPU, Precision::kFp32), options};
}

Sentence sentence_of(std::vector<std::int64_t> encoder_input, std::int64_t max_length) {
  Sentence sentence;
  sentence.encoder_input = std::move(encoder_input);
  sentence.max_length = max_length;
  return sentence;
}

/// Sentences of 1 to 12 words.
std::vector<Sentence> random_sentences() {
  std::vector<Sentence> sentences;
  for (std::int64_t i = 0; i < 12; ++i) {
    std::vector<std::int64_t> input = {kSpecial.sos};
    const auto words = at::randint(4, 50, {1 + i}, at::kLong);
    input.insert(input.end(), words.const_data_ptr<std::int64_t>(),
                 words.const_data_ptr<std::int64_t>() + words.numel());
    input.push_back(kSpecial.eos);
    sentences.push_back(sentence_of(std::move(input), 5 + 3 * (i % 7)));
  }
  return sentences;
}

at::Tensor row_of(const std::vector<std::int64_t>& ids) { return at::tensor(ids, at::kLong).unsqueeze(0); }

TEST(InferenceSearch, BatchAndCacheChangeNothing) {
  std::size_t ended = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto model = random_model(seed);
    const EvaluationMode evaluation(model);
    auto sentences = random_sentences();
    greedy_scheduler(model, kSpecial).decode(testing::pointers_to(sentences));
    for (const auto& sentence : sentences) {
      const auto alone = plain_greedy(model, row_of(sentence.encoder_input), sentence.max_length, kSpecial);
      if (alone.near_tie) {
        continue;
      }
      ++compared;
      const auto& together = sentence.hypotheses.front();
      EXPECT_EQ(together.ids, alone.ids) << "seed " << seed << ", " << sentence.encoder_input.size() << " pieces";
      EXPECT_NEAR(together.score, alone.score, 1e-3);
      EXPECT_EQ(together.truncated, std::ssize(alone.ids) == sentence.max_length);
      ended += together.truncated ? 0U : 1U;
    }
  }
  EXPECT_GT(compared, 40U);  // both kinds of end were seen
  EXPECT_GT(ended, 0U);
  EXPECT_LT(ended, compared);
}

TEST(InferenceSearch, SpecialSubwordsAreNeverGeneratedHoweverLikely) {
  auto model = random_model(2);
  const EvaluationMode evaluation(model);
  for (const auto id : {kSpecial.unk, kSpecial.sos, kSpecial.pad}) {
    model->projection_layer->proj->bias[id] = 1e4;
  }
  std::vector<Sentence> sentences = {sentence_of({1, 5, 6, 2}, 8)};
  greedy_scheduler(model, kSpecial).decode(testing::pointers_to(sentences));
  EXPECT_FALSE(sentences[0].hypotheses[0].ids.empty());
  for (const auto id : sentences[0].hypotheses[0].ids) {
    EXPECT_GE(id, 4);
  }
}

TEST(InferenceSearch, ScoresOfGivenTargetsAreThoseOfAWholePass) {
  auto model = random_model(3);
  const EvaluationMode evaluation(model);
  auto sentences = random_sentences();
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    auto& sentence = sentences[i];
    const auto words = at::randint(0, 50, {static_cast<std::int64_t>(i)}, at::kLong);  // unk and the like, too
    sentence.prefix.assign(words.const_data_ptr<std::int64_t>(), words.const_data_ptr<std::int64_t>() + words.numel());
    sentence.prefix.push_back(kSpecial.eos);
    sentence.max_length = std::ssize(sentence.prefix);
    sentence.scoring = true;
    std::ranges::replace(sentence.prefix, kSpecial.pad, std::int64_t{7});  // the whole pass would mask padding
    std::replace(sentence.prefix.begin(), sentence.prefix.end() - 1, kSpecial.eos, std::int64_t{8});
  }
  greedy_scheduler(model, kSpecial).decode(testing::pointers_to(sentences));
  for (const auto& sentence : sentences) {
    auto input = sentence.prefix;
    input.insert(input.begin(), kSpecial.sos);
    input.pop_back();
    const auto scores = model(row_of(sentence.encoder_input), row_of(input)).log_softmax(-1)[0];  // (T, V)
    const auto& found = sentence.hypotheses.front();
    ASSERT_EQ(found.subword_scores.size(), sentence.prefix.size());
    double sum = 0.0;
    for (std::size_t t = 0; t < sentence.prefix.size(); ++t) {
      const auto expected = scores[static_cast<std::int64_t>(t)][sentence.prefix[t]].item<double>();
      EXPECT_NEAR(found.subword_scores[t], expected, 1e-4);
      sum += expected;
    }
    EXPECT_NEAR(found.score, sum, 1e-3);
  }
}

TEST(InferenceSearch, BeamSearchInABatchIsThatOfEachSentenceAlone) {
  std::size_t equal = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto model = random_model(seed);
    const EvaluationMode evaluation(model);
    SearchOptions options{.decoding = {}, .target = kSpecial, .early_stopping = true};
    options.decoding.n_best = 3;
    DecodingScheduler scheduler(make_inference_model(model, c10::kCPU, Precision::kFp32), options);
    auto together = random_sentences();
    for (auto& sentence : together) {
      sentence.is_aligned = true;
    }
    auto alone = together;
    scheduler.decode(testing::pointers_to(together));
    for (std::size_t i = 0; i < alone.size(); ++i) {
      scheduler.decode(std::vector{&alone[i]});
      ASSERT_EQ(together[i].hypotheses.size(), 3U);
      ++compared;
      if (together[i].hypotheses[0].ids == alone[i].hypotheses[0].ids) {  // rounding may part near ties
        ++equal;
        EXPECT_NEAR(together[i].hypotheses[0].score, alone[i].hypotheses[0].score, 1e-3);
        EXPECT_EQ(together[i].hypotheses[0].aligned.size(), together[i].hypotheses[0].ids.size());
      }
    }
  }
  EXPECT_GE(equal + 1, compared);
}

// The same on a trained model and real sentences, where one is at hand:
//   TRANSLATE_CHECKPOINT=runs/x/checkpoints/step-00001000 TRANSLATE_SENTENCES=test.en
//   build/release/tests/decoding_tests
TEST(InferenceSearch, RealSentencesBatchedEqualOneByOneWithoutACache) {
  const char* folder = std::getenv("TRANSLATE_CHECKPOINT");
  const char* file = std::getenv("TRANSLATE_SENTENCES");
  if (folder == nullptr || file == nullptr) {
    GTEST_SKIP() << "set TRANSLATE_CHECKPOINT and TRANSLATE_SENTENCES to compare on a model and text of yours";
  }
  const Checkpoint checkpoint(folder, Verify::kInference);
  const auto loaded = load_model({&checkpoint, 1});
  auto model = make_modules(loaded, c10::kCPU);
  const auto& special = loaded.tokenizers.target.special_tokens();
  auto scheduler = greedy_scheduler(model, special);
  std::size_t sentences = 0;
  std::size_t different = 0;
  std::size_t different_ties = 0;
  const auto lines = read_lines(file);
  constexpr std::size_t kBatch = 64;
  for (std::size_t begin = 0; begin < lines.size(); begin += kBatch) {
    std::vector<Sentence> batch;
    for (std::size_t i = begin; i < std::min(begin + kBatch, lines.size()); ++i) {
      auto input = encoder_input_ids(loaded.tokenizers.source, lines[i]);
      const auto limit = 2 * std::ssize(input);
      batch.push_back(sentence_of(std::move(input), limit));
    }
    scheduler.decode(testing::pointers_to(batch));
    for (const auto& sentence : batch) {
      const auto alone = plain_greedy(model, row_of(sentence.encoder_input), sentence.max_length, special);
      ++sentences;
      if (sentence.hypotheses.front().ids != alone.ids) {
        ++(alone.near_tie ? different_ties : different);
      }
    }
  }
  std::cout << sentences << " sentences, " << different << " different, " << different_ties
            << " different with two best pieces within " << kNearTie << '\n';
  EXPECT_EQ(different, 0U);
}

}  // namespace
}  // namespace translate::trainer

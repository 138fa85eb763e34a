#include "decoding/consensus_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "metrics/chrf.h"
#include "text/tokenizer_training.h"
#include "unit/engine/decoding/search/fake_model.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using testing::FakeModel;
using testing::FakeTraits;
using testing::Ids;

std::vector<double> chrf(std::span<const std::string> texts) { return Chrf().pairwise_scores(texts); }

/// Sentences of a model that draws subwords nearly at random.
class ConsensusSearchTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kCandidates = 12;

  ConsensusSearchTest() {
    traits_.vocabulary = 60;
    traits_.can_join = true;
    traits_.side_by_side = true;
    options_ = testing::search_options(1);
    options_.decoding.sampling = true;
    options_.decoding.n_best = kCandidates;
  }

  [[nodiscard]] static Sentence sentence(std::int64_t number) {
    auto made = testing::fake_sentence({4 + number, 9, 5}, 6);
    made.random_key = static_cast<std::uint64_t>(number);
    return made;
  }

  /// The candidates of the models in the order of drawing, each sentence and model by itself.
  [[nodiscard]] std::vector<Ids> candidates(std::int64_t number, const std::vector<FakeTraits>& models) const {
    std::vector<Ids> all;
    for (const auto& traits : models) {
      auto source = sentence(number);
      source.first_draw = std::ssize(all);
      auto drawn = testing::decode_alone(FakeModel(traits), options_, source);
      std::ranges::sort(drawn, {}, &Hypothesis::draw);
      std::ranges::transform(drawn, std::back_inserter(all), &Hypothesis::ids);
    }
    return all;
  }

  /// The candidate with the highest sum of chrF against all of them plus `bonus` of its text; of equal ones the first.
  [[nodiscard]] Ids plain_choice(const std::vector<Ids>& all, const std::function<double(const std::string&)>& bonus) {
    std::vector<double> sums;
    const Chrf metric;
    for (const auto& ids : all) {
      double sum = 0.0;
      for (const auto& other : all) {
        const auto reference = tokenizer_.decode(other);
        sum += metric.sentence_score(metric.count(tokenizer_.decode(ids), {&reference, 1}));
      }
      sums.push_back(sum / static_cast<double>(all.size()) + bonus(tokenizer_.decode(ids)));
    }
    const double most = *std::ranges::max_element(sums) - 1e-9;
    return all[static_cast<std::size_t>(std::ranges::find_if(sums, [&](double sum) { return sum > most; }) -
                                        sums.begin())];
  }

  /// What the search chooses for sentences 0 to 7.
  [[nodiscard]] std::vector<Ids> chosen(const Consensus& consensus) {
    LinesUnderWay lines;
    for (std::int64_t i = 0; i < kSentences; ++i) {
      lines.push_back(std::make_shared<LineUnderWay>());
      lines.back()->parts.parts.push_back({.text = "source " + std::to_string(i), .sentence = sentence(i)});
    }
    ConsensusSearch search(std::make_shared<FakeModel>(traits_), std::make_shared<const Consensus>(consensus),
                           options_);
    search.decode(lines, tokenizer_);
    std::vector<Ids> result;
    for (const auto& line : lines) {
      const auto& hypotheses = line->parts.parts.front().sentence.hypotheses;
      EXPECT_EQ(hypotheses.size(), 1U);
      result.push_back(hypotheses.front().ids);
    }
    return result;
  }

  static constexpr std::int64_t kSentences = 8;
  const Tokenizer tokenizer_ = train_tokenizer(small_tokenizer(TokenizerType::kUnigram, 60), {sample_sentences(100)});
  FakeTraits traits_;
  SearchOptions options_;
};

TEST_F(ConsensusSearchTest, ChoosesAsTheDefinitionSaysAtAnyBatchSize) {
  const auto result = chosen({.utilities = chrf});
  for (std::int64_t i = 0; i < kSentences; ++i) {
    const auto expected = plain_choice(candidates(i, {traits_}), [](const auto&) { return 0.0; });
    EXPECT_EQ(result[static_cast<std::size_t>(i)], expected);
  }
  for (const std::int64_t tokens : {1, 100, 1000000}) {
    options_.decoding.batch_tokens = tokens;
    EXPECT_EQ(chosen({.utilities = chrf}), result) << tokens;
  }
}

TEST_F(ConsensusSearchTest, PoolsTheCandidatesOfSeveralModels) {
  auto other = traits_;
  other.spread = 4.0;
  const auto result = chosen({.utilities = chrf, .other_models = {std::make_shared<FakeModel>(other)}});
  for (std::int64_t i = 0; i < kSentences; ++i) {
    const auto expected = plain_choice(candidates(i, {traits_, other}), [](const auto&) { return 0.0; });
    EXPECT_EQ(result[static_cast<std::size_t>(i)], expected);
  }
  EXPECT_NE(result, chosen({.utilities = chrf}));
}

TEST_F(ConsensusSearchTest, TwoEqualModelsDrawLikeOneThatDrawsTwiceAsMany) {
  const auto two = chosen({.utilities = chrf, .other_models = {std::make_shared<FakeModel>(traits_)}});
  options_.decoding.n_best *= 2;
  EXPECT_EQ(two, chosen({.utilities = chrf}));
}

TEST_F(ConsensusSearchTest, AddsTheScoresOfTheOtherDirection) {
  const auto score = [](const std::string& text) { return static_cast<double>(text.size() % 7); };
  const auto scores = [&](std::span<const ScoringPair> pairs) {
    std::vector<double> result;
    for (const auto& pair : pairs) {
      EXPECT_EQ(pair.target.substr(0, 7), "source ");
      result.push_back(score(pair.source));
    }
    return result;
  };
  for (const double weight : {0.5, 100.0}) {
    const auto result = chosen({.utilities = chrf, .reverse_scores = scores, .reverse_weight = weight});
    for (std::int64_t i = 0; i < kSentences; ++i) {
      const auto expected =
          plain_choice(candidates(i, {traits_}), [&](const auto& text) { return weight * score(text); });
      EXPECT_EQ(result[static_cast<std::size_t>(i)], expected) << weight;
    }
  }
  EXPECT_EQ(chosen({.utilities = chrf, .reverse_scores = scores, .reverse_weight = 0.0}), chosen({.utilities = chrf}));
}

TEST_F(ConsensusSearchTest, TakesTheListOfABeam) {
  options_.decoding.sampling = false;
  options_.decoding.beam_size = kCandidates;
  options_.text_of = [&](const Ids& ids) { return tokenizer_.decode(ids); };
  const auto result = chosen({.utilities = chrf});
  for (std::int64_t i = 0; i < kSentences; ++i) {
    std::vector<Ids> all;
    for (const auto& hypothesis : testing::decode_alone(FakeModel(traits_), options_, sentence(i))) {
      all.push_back(hypothesis.ids);
    }
    EXPECT_EQ(result[static_cast<std::size_t>(i)], plain_choice(all, [](const auto&) { return 0.0; }));
  }
}

TEST_F(ConsensusSearchTest, AnErrorOfTheOtherDirectionEndsTheSearch) {
  const auto fail = [](std::span<const ScoringPair>) -> std::vector<double> { throw DataError("too long"); };
  EXPECT_THROW((void)chosen({.utilities = chrf, .reverse_scores = fail, .reverse_weight = 1.0}), DataError);
}

}  // namespace
}  // namespace translate

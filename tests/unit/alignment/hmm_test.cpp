#include "alignment/hmm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "core/random_numbers.h"

namespace translate {
namespace {

LinkMatrix random_emissions(std::size_t words, std::size_t states) {
  std::mt19937_64 random(words * 100 + states);
  LinkMatrix emissions;
  emissions.resize(words, states);
  const auto draw = [&] { return static_cast<float>(1 + draw_below(random, 1000)) / 1000.0F; };
  std::ranges::generate(emissions.links, draw);
  std::ranges::generate(emissions.null, draw);
  return emissions;
}

/// The definition of the HMM, by a sum over all sequences of states; state 2 i + 1 is the null state of position i, and
/// position 0 is the one before the sentence.
class AllSequences {
 public:
  AllSequences(const LinkMatrix& emissions, const JumpModel& jumps, const GenerationOptions& options)
      : emissions_(emissions), jumps_(jumps), options_(options) {
    posteriors_.resize(emissions.words, emissions.states);
    continue_at(0, 0, 1.0);
  }

  double sum = 0.0;
  std::vector<double> jump_sums = std::vector<double>(kJumps);
  LinkMatrix posteriors_;

 private:
  struct Choice {
    std::size_t position;
    std::size_t from;
    bool null;
    double jump_share;  // of the jump's probability, that of its weight; the rest is uniform
  };

  void continue_at(std::size_t word, std::size_t position, double probability) {
    if (word == emissions_.words) {
      sum += probability;
      for (std::size_t j = 0; j < choices_.size(); ++j) {
        const auto& [to, from, null, share] = choices_[j];
        (null ? posteriors_.null[j] : posteriors_.links[j * emissions_.states + to - 1]) +=
            static_cast<float>(probability);
        if (!null) {
          jump_sums[static_cast<std::size_t>(kWidestJump) + to - from] += probability * share;
        }
      }
      return;
    }
    const double p0 = options_.null_probability;
    choices_.push_back({.position = position, .from = position, .null = true, .jump_share = 0.0});
    continue_at(word + 1, position, probability * p0 * emissions_.null[word]);
    choices_.pop_back();
    std::vector<float> sums;
    jumps_.sums_of_weights(emissions_.states, sums);
    for (std::size_t to = 1; to <= emissions_.states; ++to) {
      const double u = options_.uniform_share;
      const auto weight = jumps_.weights()[static_cast<std::size_t>(kWidestJump) + to - position];
      const double by_weight = (1.0 - u) * weight / sums[position];
      const double jump = by_weight + u / static_cast<double>(emissions_.states);
      choices_.push_back({.position = to, .from = position, .null = false, .jump_share = by_weight / jump});
      continue_at(word + 1, to, probability * (1.0 - p0) * jump * emissions_.links[word * emissions_.states + to - 1]);
      choices_.pop_back();
    }
  }

  const LinkMatrix& emissions_;
  const JumpModel& jumps_;
  const GenerationOptions& options_;
  std::vector<Choice> choices_;
};

TEST(HmmPass, EqualsTheSumOverAllSequences) {
  const GenerationOptions options{.null_probability = 0.15F, .uniform_share = 0.3F};
  const JumpModel jumps;
  for (const auto& [words, states] : {std::pair{1, 1}, {1, 4}, {4, 1}, {3, 3}, {5, 3}, {3, 5}}) {
    const auto emissions = random_emissions(static_cast<std::size_t>(words), static_cast<std::size_t>(states));
    const AllSequences expected(emissions, jumps, options);
    LinkMatrix posteriors;
    JumpCounts counts{};
    EXPECT_NEAR(HmmPass().run(emissions, jumps, options, posteriors, counts), std::log(expected.sum), 1e-5);
    for (std::size_t i = 0; i < posteriors.links.size(); ++i) {
      EXPECT_NEAR(posteriors.links[i], expected.posteriors_.links[i] / expected.sum, 1e-5);
    }
    for (std::size_t j = 0; j < posteriors.null.size(); ++j) {
      EXPECT_NEAR(posteriors.null[j], expected.posteriors_.null[j] / expected.sum, 1e-5);
    }
    for (std::size_t jump = 0; jump < kJumps; ++jump) {
      EXPECT_NEAR(counts[jump], expected.jump_sums[jump] / expected.sum, 1e-5) << jump;
    }
  }
}

TEST(HmmPass, PosteriorsOfLongSentencesSumToOne) {
  const auto emissions = random_emissions(700, 300);
  LinkMatrix posteriors;
  JumpCounts counts{};
  EXPECT_TRUE(std::isfinite(HmmPass().run(emissions, JumpModel(), {}, posteriors, counts)));
  for (std::size_t word = 0; word < 700; ++word) {
    float sum = posteriors.null[word];
    for (std::size_t state = 0; state < 300; ++state) {
      sum += posteriors.links[word * 300 + state];
    }
    EXPECT_NEAR(sum, 1.0F, 1e-4F);
  }
}

TEST(JumpModel, SumsOfWeightsAreThoseOfTheJumpsWithinTheSentence) {
  const JumpModel jumps;
  for (const std::int64_t words : {1, 5, 64, 65, 200}) {
    std::vector<float> sums;
    jumps.sums_of_weights(static_cast<std::size_t>(words), sums);
    for (std::int64_t from = 0; from <= words; ++from) {
      float expected = 0.0F;
      for (std::int64_t to = 1; to <= words; ++to) {
        const auto jump = to - from;
        expected += std::abs(jump) > kWidestJump ? 0.0F : jumps.weights()[static_cast<std::size_t>(kWidestJump + jump)];
      }
      EXPECT_NEAR(sums[static_cast<std::size_t>(from)], expected, 1e-5F);
    }
  }
}

}  // namespace
}  // namespace translate

#include "alignment/word_aligner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "alignment/aligner_training.h"
#include "alignment/symmetrization.h"
#include "core/error.h"
#include "core/threads.h"
#include "corpora/corpus_reader.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/synthetic_bitext.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using translate::testing::GoldPair;

using Ids = std::vector<std::int32_t>;

/// The sentences of the embedded corpus in a synthetic language.
std::vector<GoldPair> synthetic_corpus(std::size_t count, const translate::testing::SyntheticLanguage& language = {}) {
  std::unordered_map<std::string, std::int32_t> ids;
  std::vector<GoldPair> pairs;
  for (const auto& line : read_lines(project_folder() / "data/en-fr/train.en")) {
    Ids sentence;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      sentence.push_back(ids.emplace(word, static_cast<std::int32_t>(ids.size())).first->second);
    }
    pairs.push_back(translate::testing::translate_synthetically(sentence, language, pairs.size()));
    if (pairs.size() == count) {
      break;
    }
  }
  return pairs;
}

WordAligner train(const std::vector<GoldPair>& pairs, const AlignerOptions& options = {},
                  const std::function<void(const AlignerProgress&)>& progress = {}) {
  return train_aligner(
      pairs.size(), [&](std::size_t i) { return IdPair{.source = pairs[i].source, .target = pairs[i].target}; },
      options, progress);
}

Alignment diagonal(std::int32_t words) {
  Alignment alignment;
  for (std::int32_t i = 0; i < words; ++i) {
    alignment.push_back({i, i});
  }
  return alignment;
}

TEST(WordAligner, FindsTheLinksOfASyntheticLanguage) {
  const auto pairs = synthetic_corpus(4000);
  const auto aligner = train(pairs);
  translate::testing::AlignmentErrors errors;
  for (const auto& pair : pairs) {
    errors.add(aligner.align(pair.source, pair.target), pair.gold);
  }
  EXPECT_LT(errors.rate(), 0.12);
}

TEST(WordAligner, LearnsTwoLanguagesOfOppositeOrder) {
  std::vector<GoldPair> pairs;
  for (std::int32_t i = 0; i < 400; ++i) {
    Ids source;
    for (std::int32_t word = 0; word < 6; ++word) {
      source.push_back((i * 7 + word * word * (i % 11 + 1)) % 40);
    }
    Ids target(source.rbegin(), source.rend());
    std::ranges::transform(target, target.begin(), [](auto word) { return 1'000'000 + word; });
    pairs.push_back({.source = source, .target = target, .gold = {}});
  }
  const auto alignment = train(pairs).align(Ids{0, 7, 14, 21}, Ids{1'000'021, 1'000'014, 1'000'007, 1'000'000});
  EXPECT_THAT(alignment,
              ElementsAre(AlignmentPoint{0, 3}, AlignmentPoint{1, 2}, AlignmentPoint{2, 1}, AlignmentPoint{3, 0}));
}

TEST(WordAligner, DoesNotDependOnTheNumberOfThreads) {
  const auto pairs = synthetic_corpus(3000);
  const int before = kernel_threads();
  std::vector<std::vector<Alignment>> results;
  std::vector<std::vector<double>> entropies;
  for (const int threads : {1, 2, 5}) {
    set_kernel_threads(threads);
    entropies.emplace_back();
    const auto aligner = train(pairs, {}, [&](const AlignerProgress& progress) {
      entropies.back().push_back(progress.forward_entropy);
      entropies.back().push_back(progress.backward_entropy);
    });
    results.emplace_back();
    for (const auto& pair : pairs) {
      results.back().push_back(aligner.align(pair.source, pair.target));
    }
  }
  set_kernel_threads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(entropies[0], entropies[1]);
  EXPECT_EQ(entropies[0], entropies[2]);
}

TEST(WordAligner, ExpectationMaximisationLowersTheEntropy) {
  std::vector<double> forward;
  std::vector<double> backward;
  const AlignerOptions options{.model_1_iterations = 6, .hmm_iterations = 1, .lexical_prior = 0.0};
  (void)train(synthetic_corpus(1000), options, [&](const AlignerProgress& progress) {
    if (progress.stage == "Model 1") {
      forward.push_back(progress.forward_entropy);
      backward.push_back(progress.backward_entropy);
    }
  });
  ASSERT_THAT(forward, SizeIs(6));
  EXPECT_TRUE(std::ranges::is_sorted(forward, std::greater{}));
  EXPECT_TRUE(std::ranges::is_sorted(backward, std::greater{}));
}

TEST(WordAligner, EmptySidesHaveNoLinks) {
  const auto aligner = train(synthetic_corpus(200));
  EXPECT_THAT(aligner.align({}, {}), IsEmpty());
  EXPECT_THAT(aligner.align(Ids{1, 2}, {}), IsEmpty());
  EXPECT_THAT(aligner.align({}, Ids{1, 2}), IsEmpty());
  const auto links = aligner.align_directions(Ids{1, 2}, {});
  EXPECT_THAT(links.target_of_source, AllOf(SizeIs(2), Each(DirectedLink{.position = kNoWord, .probability = 1.0F})));
  EXPECT_THAT(links.source_of_target, IsEmpty());
}

TEST(WordAligner, LinksPairsOfOneWord) {
  const auto aligner = train_aligner(1, [](std::size_t) {
    static const Ids source{3};
    static const Ids target{4};
    return IdPair{.source = source, .target = target};
  });
  EXPECT_EQ(aligner.align(Ids{3}, Ids{4}), diagonal(1));
  const auto links = aligner.align_directions(Ids{3}, Ids{4});
  EXPECT_EQ(links.source_of_target[0].position, 0);
  EXPECT_GT(links.source_of_target[0].probability, 0.5F);
  EXPECT_LE(links.source_of_target[0].probability, 1.0F);
}

TEST(WordAligner, LinksUnknownWordsToEachOther) {
  auto pairs = synthetic_corpus(2000);
  std::int32_t linked = 0;
  const auto aligner = train(pairs);
  for (std::size_t i = 0; i < 100; ++i) {
    auto& pair = pairs[i];
    const auto link = pair.gold[pair.gold.size() / 2];
    pair.source[static_cast<std::size_t>(link.source)] = 2'000'000'000;
    pair.target[static_cast<std::size_t>(link.target)] = std::numeric_limits<std::int32_t>::max();
    linked += std::ranges::binary_search(aligner.align(pair.source, pair.target), link) ? 1 : 0;
  }
  EXPECT_GT(linked, 80);
}

TEST(WordAligner, WithoutTrainingTextItAlignsByPlaces) {
  const auto nothing = train_aligner(0, [](std::size_t) { return IdPair(); });
  const auto links = nothing.align(Ids{1, 2, 3, 4, 5}, Ids{6, 7, 8, 9, 10});
  EXPECT_THAT(links, ::testing::Contains(AlignmentPoint{0, 0}));
  EXPECT_THAT(links, ::testing::Contains(AlignmentPoint{4, 4}));
  const Ids words{1};
  const auto empty_pairs = train_aligner(3, [&](std::size_t i) {
    return i == 0 ? IdPair{.source = words, .target = {}} : IdPair{.source = {}, .target = words};
  });
  EXPECT_EQ(empty_pairs.align(Ids{1, 2}, Ids{1, 2}), diagonal(2));
}

TEST(WordAligner, AlignsSentencesOfThousandsOfWords) {
  const auto pairs = synthetic_corpus(500, {.most_translations = 1});
  const auto aligner = train(pairs, {.longest = 64});
  GoldPair joined;
  for (const auto& pair : pairs) {
    for (const auto& [source, target] : pair.gold) {
      joined.gold.push_back({source + static_cast<std::int32_t>(joined.source.size()),
                             target + static_cast<std::int32_t>(joined.target.size())});
    }
    joined.source.insert(joined.source.end(), pair.source.begin(), pair.source.end());
    joined.target.insert(joined.target.end(), pair.target.begin(), pair.target.end());
  }
  ASSERT_GT(joined.source.size(), 3000U);
  const auto alignment = aligner.align(joined.source, joined.target);
  EXPECT_GT(alignment.size(), joined.source.size() / 3);
  for (const auto& [source, target] : alignment) {
    EXPECT_LT(static_cast<std::size_t>(source), joined.source.size());
    EXPECT_LT(static_cast<std::size_t>(target), joined.target.size());
  }
  EXPECT_TRUE(std::ranges::is_sorted(alignment));
  EXPECT_THAT(aligner.align_directions(Ids(5000, 1), Ids{2}).target_of_source, SizeIs(5000));
}

TEST(WordAligner, LongPairsAreLeftOutOfTraining) {
  auto pairs = synthetic_corpus(300);
  const auto without = train(pairs);
  GoldPair longer{.source = Ids(300, 5), .target = Ids(2, 77), .gold = {}};
  pairs.insert(pairs.begin() + 100, longer);
  const auto with = train(pairs);
  for (const auto& pair : synthetic_corpus(300)) {
    EXPECT_EQ(without.align(pair.source, pair.target), with.align(pair.source, pair.target));
  }
}

TEST(WordAligner, AFewPartnersOfEachWordAreEnough) {
  const auto pairs = synthetic_corpus(2000);
  translate::testing::AlignmentErrors all;
  translate::testing::AlignmentErrors few;
  const auto with_all = train(pairs, {.partners_per_word = 100'000});
  const auto with_few = train(pairs, {.partners_per_word = 8});
  for (const auto& pair : pairs) {
    all.add(with_all.align(pair.source, pair.target), pair.gold);
    few.add(with_few.align(pair.source, pair.target), pair.gold);
  }
  EXPECT_LT(few.rate(), all.rate() + 0.02);
}

TEST(WordAligner, RefusesOptionsOutsideOfTheirRange) {
  const auto complaint = [](const AlignerOptions& options) {
    return translate::testing::error_of<ConfigError>([&] { return train({}, options); });
  };
  EXPECT_THAT(complaint({.model_1_iterations = 0}), HasSubstr("model_1_iterations must be 1 or more"));
  EXPECT_THAT(complaint({.hmm_iterations = 0}), HasSubstr("hmm_iterations"));
  EXPECT_THAT(complaint({.partners_per_word = 0}), HasSubstr("partners_per_word"));
  EXPECT_THAT(complaint({.lexical_prior = -1.0}), HasSubstr("lexical_prior"));
  EXPECT_THAT(complaint({.null_probability = 0.0F}), HasSubstr("null_probability"));
  EXPECT_THAT(complaint({.uniform_share = 1.0F}), HasSubstr("uniform_share"));
  EXPECT_THAT(complaint({.longest = 0}), HasSubstr("longest"));
}

}  // namespace
}  // namespace translate

#include "decoding/search/beam_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "unit/engine/decoding/plain_search.h"

namespace translate::testing {
namespace {

/// Two lists of hypotheses, one of them found plainly, say the same.
void expect_same(const std::vector<Hypothesis>& found, const std::vector<Plain>& expected,
                 const DecodingOptions& options, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids) << what << ", hypothesis " << i;
    EXPECT_EQ(found[i].truncated, !expected[i].ended) << what;
    EXPECT_NEAR(found[i].score, expected[i].sum, 1e-4) << what;
    EXPECT_NEAR(found[i].normalized_score, expected[i].normalized(options), 1e-4) << what;
    double sum = 0.0;
    for (const auto score : found[i].subword_scores) {
      sum += score;
    }
    EXPECT_EQ(sum, found[i].score);
    EXPECT_EQ(found[i].subword_scores.size(), found[i].ids.size() + (found[i].truncated ? 0 : 1));
  }
}

struct Penalty {
  LengthPenaltyKind kind;
  double alpha;
};
constexpr Penalty kPenalties[] = {{LengthPenaltyKind::kGnmt, 0.0},    {LengthPenaltyKind::kGnmt, 0.6},
                                  {LengthPenaltyKind::kGnmt, 2.0},    {LengthPenaltyKind::kGnmt, -1.0},
                                  {LengthPenaltyKind::kAverage, 1.0}, {LengthPenaltyKind::kAverage, -0.5}};

/// Calls check(options, sentence, what) for random sentences under each penalty.
template <typename Check>
void for_cases(std::int64_t beam_size, std::int64_t count, const Check& check) {
  for (const auto& penalty : kPenalties) {
    for (std::int64_t i = 0; i < count; ++i) {
      auto options = search_options(beam_size);
      options.decoding.length_penalty = penalty.alpha;
      options.decoding.length_penalty_kind = penalty.kind;
      check(options, fake_sentence({i, 4}, 4),
            "sentence " + std::to_string(i) + ", alpha " + std::to_string(penalty.alpha));
    }
  }
}

TEST(BeamSearch, NeverGeneratesAControlSubwordExceptInAPrefix) {
  const FakeModel model(FakeTraits{});
  auto options = search_options(/*beam_size=*/20);
  options.control_subwords = {4, 6};
  for (const bool sampling : {false, true}) {
    options.decoding.sampling = sampling;
    for (std::int64_t i = 0; i < 10; ++i) {
      for (const auto& hypothesis : decode_alone(model, options, fake_sentence({i, 4}, 6))) {
        EXPECT_EQ(std::ranges::count(hypothesis.ids, 4) + std::ranges::count(hypothesis.ids, 6), 0);
      }
      auto sentence = fake_sentence({i, 4}, 6);
      sentence.prefix = {4, 5};
      for (const auto& hypothesis : decode_alone(model, options, sentence)) {
        EXPECT_EQ(hypothesis.ids.front(), 4);
        EXPECT_EQ(std::ranges::count(hypothesis.ids, 4) + std::ranges::count(hypothesis.ids, 6), 1);
      }
    }
  }
}

TEST(BeamSearch, NeverGeneratesWhatASentenceForbidsExceptInAPrefix) {
  const FakeModel model(FakeTraits{});
  auto options = search_options(/*beam_size=*/20);
  for (const bool sampling : {false, true}) {
    options.decoding.sampling = sampling;
    for (std::int64_t i = 0; i < 10; ++i) {
      auto sentence = fake_sentence({i, 4}, 6);
      sentence.forbidden = {4};
      for (const auto& hypothesis : decode_alone(model, options, sentence)) {
        EXPECT_EQ(std::ranges::count(hypothesis.ids, 4), 0);
      }
      sentence.prefix = {4, 5};
      for (const auto& hypothesis : decode_alone(model, options, sentence)) {
        EXPECT_EQ(hypothesis.ids.front(), 4);
        EXPECT_EQ(std::ranges::count(hypothesis.ids, 4), 1);
      }
    }
  }
}

TEST(BeamSearch, WideEnoughFindsTheBestOfAllTargets) {
  const FakeTraits traits;
  const FakeModel model(traits);
  // 3 words besides eos, 4 subwords at most: 1 + 3 + 9 + 27 that end and 81 that do not; 81 live ones at most.
  for_cases(/*beam_size=*/125, /*count=*/15, [&](auto options, const Sentence& sentence, const std::string& what) {
    options.decoding.n_best = 12;
    auto expected = all_targets(next_scores(traits, sentence), sentence.max_length, options.decoding);
    EXPECT_EQ(expected.size(), 121U);
    expected.resize(12);
    expect_same(decode_alone(model, options, sentence), expected, options.decoding, what);
  });
}

TEST(BeamSearch, NarrowIsWhatItsDefinitionSays) {
  FakeTraits traits;
  traits.vocabulary = 12;
  const FakeModel model(traits);
  for (const std::int64_t beam_size : {1, 2, 3, 5}) {
    for_cases(beam_size, /*count=*/25, [&](auto options, Sentence sentence, const std::string& what) {
      sentence.max_length = 7;
      for (const std::int64_t n_best : {std::int64_t{1}, beam_size}) {
        options.decoding.n_best = n_best;
        const auto expected = plain_beam(next_scores(traits, sentence), sentence.max_length, options.decoding);
        EXPECT_EQ(std::ssize(expected), n_best);
        expect_same(decode_alone(model, options, sentence), expected, options.decoding,
                    what + ", beam " + std::to_string(beam_size));
      }
    });
  }
}

/// A text that many ids share: which of the words of a pair stood there is not seen.
std::string halved(const Ids& ids) {
  std::string text;
  for (const auto id : ids) {
    text += std::to_string(id / 2) + " ";
  }
  return text;
}

TEST(BeamSearch, ResultsHaveDifferentTextsEachTheBestOfItsText) {
  const FakeTraits traits;
  const FakeModel model(traits);
  for_cases(/*beam_size=*/125, /*count=*/15, [&](auto options, const Sentence& sentence, const std::string& what) {
    options.decoding.n_best = 12;
    options.text_of = halved;
    std::vector<Plain> expected;
    std::set<std::string> texts;
    for (auto& target : all_targets(next_scores(traits, sentence), sentence.max_length, options.decoding)) {
      if (expected.size() < 12 && texts.insert(halved(target.ids)).second) {
        expected.push_back(target);
      }
    }
    expect_same(decode_alone(model, options, sentence), expected, options.decoding, what);
  });
}

TEST(BeamSearch, ANarrowBeamGoesOnUntilThereAreEnoughTexts) {
  FakeTraits traits;
  traits.vocabulary = 12;
  const FakeModel model(traits);
  for_cases(/*beam_size=*/4, /*count=*/25, [&](auto options, Sentence sentence, const std::string& what) {
    sentence.max_length = 7;
    const auto best = decode_alone(model, options, sentence);
    options.decoding.n_best = 4;
    options.text_of = halved;
    const auto found = decode_alone(model, options, sentence);
    EXPECT_EQ(found.size(), 4U) << what;
    EXPECT_EQ(found.front().ids, best.front().ids) << what;
    std::set<std::string> texts;
    for (const auto& hypothesis : found) {
      texts.insert(halved(hypothesis.ids));
    }
    EXPECT_EQ(texts.size(), found.size()) << what;
  });
}

TEST(BeamSearch, OfSizeOneTakesTheLikeliestSubwordEachTime) {
  FakeTraits traits;
  traits.vocabulary = 300;  // several blocks of the scan
  const FakeModel model(traits);
  std::size_t ended = 0;
  for (std::int64_t i = 0; i < 200; ++i) {
    const auto sentence = fake_sentence({i}, 1 + i % 60);
    const auto next = next_scores(traits, sentence);
    Ids ids;
    while (true) {
      const auto scores = next(ids);
      const auto best = std::ranges::max_element(scores) - scores.begin();
      if (best == kSpecial.eos) {
        break;
      }
      ids.push_back(best);
      if (std::ssize(ids) == sentence.max_length) {
        break;
      }
    }
    const auto found = decode_alone(model, search_options(1), sentence);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].ids, ids);
    ended += found[0].truncated ? 0U : 1U;
  }
  EXPECT_GT(ended, 3U);  // both kinds of end were seen
  EXPECT_LT(ended, 150U);
}

TEST(BeamSearch, StoppingEarlyChangesNothing) {
  FakeTraits traits;
  traits.vocabulary = 8;
  traits.spread = 3.0;
  std::int64_t steps = 0;
  std::int64_t all_steps = 0;
  for (const std::int64_t beam_size : {2, 4}) {
    for_cases(beam_size, /*count=*/40, [&](auto options, Sentence sentence, const std::string& what) {
      sentence.max_length = 20;
      options.decoding.n_best = beam_size / 2;
      const FakeModel model(traits);
      const auto early = decode_alone(model, options, sentence);
      steps += model.steps;
      options.early_stopping = false;
      const FakeModel patient(traits);
      const auto late = decode_alone(patient, options, sentence);
      all_steps += patient.steps;
      EXPECT_EQ(patient.steps, sentence.max_length);
      ASSERT_EQ(early.size(), late.size());
      for (std::size_t i = 0; i < early.size(); ++i) {
        EXPECT_EQ(early[i].ids, late[i].ids) << what;
        EXPECT_EQ(early[i].normalized_score, late[i].normalized_score) << what;
      }
    });
  }
  EXPECT_LT(steps, all_steps * 9 / 10);  // and is worth it
}

TEST(BeamSearch, EqualScoresGoByTheLowerSubword) {
  FakeTraits traits;
  traits.spread = 0.0;  // every subword is as likely as any other
  const FakeModel model(traits);
  auto options = search_options(3);
  options.decoding.length_penalty = 0.0;
  const auto found = decode_alone(model, options, fake_sentence({4}, 2));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].ids, Ids());     // eos is subword 2: the lowest there is
  EXPECT_EQ(found[1].ids, (Ids{4}));  // then eos after the lowest word
  EXPECT_FALSE(found[1].truncated);
}

TEST(BeamSearch, SpecialSubwordsAreNeverGenerated) {
  const FakeModel model(FakeTraits{});
  for (std::int64_t i = 0; i < 50; ++i) {
    for (const auto& hypothesis : decode_alone(model, search_options(4), fake_sentence({i}, 6))) {
      EXPECT_THAT(hypothesis.ids, ::testing::Each(::testing::Ge(4)));
    }
  }
}

TEST(BeamSearch, MinimumLengthHoldsBackTheEnd) {
  const FakeTraits traits;
  const FakeModel model(traits);
  for_cases(/*beam_size=*/125, /*count=*/10, [&](auto options, const Sentence& sentence, const std::string& what) {
    options.decoding.n_best = 5;
    options.decoding.min_length = 2;
    const auto forbid = [](const Ids& generated, std::vector<float>& logits) {
      if (generated.size() < 2) {
        logits[2] = -std::numeric_limits<float>::infinity();
      }
    };
    auto expected = all_targets(next_scores(traits, sentence, forbid), sentence.max_length, options.decoding);
    EXPECT_TRUE(std::ranges::all_of(expected, [](const Plain& plain) { return plain.ids.size() >= 2; }));
    expected.resize(5);
    expect_same(decode_alone(model, options, sentence), expected, options.decoding, what);
  });
}

TEST(BeamSearch, NoRunOfSubwordsComesTwice) {
  const FakeTraits traits;
  const FakeModel model(traits);
  for (const std::size_t n : {1U, 2U}) {
    for_cases(/*beam_size=*/125, /*count=*/10, [&](auto options, const Sentence& sentence, const std::string& what) {
      options.decoding.n_best = 5;
      options.decoding.no_repeat_ngram = static_cast<std::int64_t>(n);
      const auto forbid = [n](const Ids& generated, std::vector<float>& logits) {
        for (std::size_t subword = 0; subword < logits.size(); ++subword) {
          auto longer = generated;
          longer.push_back(static_cast<std::int64_t>(subword));
          if (longer.size() <= n) {
            continue;
          }
          const Ids last(longer.end() - static_cast<std::ptrdiff_t>(n), longer.end());
          const auto found = std::search(longer.begin(), longer.end() - 1, last.begin(), last.end());
          if (found != longer.end() - 1) {
            logits[subword] = -std::numeric_limits<float>::infinity();
          }
        }
      };
      auto expected = all_targets(next_scores(traits, sentence, forbid), sentence.max_length, options.decoding);
      expected.resize(5);
      expect_same(decode_alone(model, options, sentence), expected, options.decoding, what);
    });
  }
}

TEST(BeamSearch, RepetitionPenaltyWeakensGeneratedSubwords) {
  const FakeTraits traits;
  const FakeModel model(traits);
  for_cases(/*beam_size=*/125, /*count=*/10, [&](auto options, const Sentence& sentence, const std::string& what) {
    options.decoding.n_best = 5;
    options.decoding.repetition_penalty = 1.7;
    const auto weaken = [](const Ids& generated, std::vector<float>& logits) {
      for (std::size_t subword = 0; subword < logits.size(); ++subword) {
        if (std::ranges::count(generated, static_cast<std::int64_t>(subword)) > 0) {
          logits[subword] *= logits[subword] > 0 ? 1.0F / 1.7F : 1.7F;
        }
      }
    };
    auto expected = all_targets(next_scores(traits, sentence, weaken), sentence.max_length, options.decoding);
    expected.resize(5);
    expect_same(decode_alone(model, options, sentence), expected, options.decoding, what);
  });
}

TEST(BeamSearch, ATranslationBeginsWithThePrefixAndContinuesWithTheBest) {
  const FakeTraits traits;
  const FakeModel model(traits);
  for_cases(/*beam_size=*/125, /*count=*/10, [&](auto options, Sentence sentence, const std::string& what) {
    options.decoding.n_best = 4;
    options.decoding.min_length = 1;
    sentence.prefix = {6, 4};
    const auto forbid = [](const Ids& generated, std::vector<float>& logits) {
      if (generated.empty()) {
        logits[2] = -std::numeric_limits<float>::infinity();
      }
    };
    // In the prefix nothing is forbidden but what is never generated.
    const auto next = [&](const Ids& generated) {
      return generated.size() < 2 ? next_scores(traits, sentence)(generated)
                                  : next_scores(traits, sentence, forbid)(generated);
    };
    auto all = all_targets(next, sentence.max_length, options.decoding);
    std::erase_if(all,
                  [](const Plain& plain) { return plain.ids.size() < 2 || plain.ids[0] != 6 || plain.ids[1] != 4; });
    all.resize(4);
    expect_same(decode_alone(model, options, sentence), all, options.decoding, what);
  });
}

TEST(BeamSearch, APrefixMayHoldWhatIsNeverGeneratedOtherwise) {
  const FakeModel model(FakeTraits{});
  auto sentence = fake_sentence({5}, 5);
  sentence.prefix = {kSpecial.unk, 4};
  const auto found = decode_alone(model, search_options(2), sentence);
  for (const auto& hypothesis : found) {
    EXPECT_EQ(hypothesis.ids[0], kSpecial.unk);
    EXPECT_EQ(hypothesis.ids[1], 4);
    EXPECT_TRUE(std::isfinite(hypothesis.score));
  }
}

TEST(BeamSearch, APrefixBeyondTheLimitIsCutOff) {
  const FakeModel model(FakeTraits{});
  auto sentence = fake_sentence({5}, 2);
  sentence.prefix = {4, 5, 6};
  const auto found = decode_alone(model, search_options(3), sentence);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ids, (Ids{4, 5}));
  EXPECT_TRUE(found[0].truncated);
}

TEST(BeamSearch, EndsIfEverySubwordIsForbidden) {
  FakeTraits traits;
  traits.vocabulary = 5;  // one word
  const FakeModel model(traits);
  auto options = search_options(2);
  options.decoding.no_repeat_ngram = 1;
  options.decoding.min_length = 3;
  const auto found = decode_alone(model, options, fake_sentence({4}, 6));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ids, (Ids{4}));
  EXPECT_TRUE(found[0].truncated);
}

TEST(BeamSearch, ScoringGivesTheModelsOwnProbabilities) {
  const FakeTraits traits;
  const FakeModel model(traits);
  auto options = search_options(4);
  options.decoding.min_length = 4;  // counts for nothing here
  options.decoding.no_repeat_ngram = 1;
  for (const Ids& target : {Ids{}, Ids{4, 4}, Ids{kSpecial.unk, 5, 6}}) {
    auto sentence = fake_sentence({7, 4}, std::ssize(target) + 1);
    sentence.prefix = target;
    sentence.prefix.push_back(kSpecial.eos);
    sentence.scoring = true;
    const auto found = decode_alone(model, options, sentence);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].ids, target);
    EXPECT_FALSE(found[0].truncated);
    ASSERT_EQ(found[0].subword_scores.size(), target.size() + 1);
    Ids input = {kSpecial.sos};
    for (std::size_t i = 0; i <= target.size(); ++i) {
      const auto subword = static_cast<std::size_t>(sentence.prefix[i]);
      EXPECT_NEAR(found[0].subword_scores[i], log_softmax(fake_logits(traits, sentence.encoder_input, input))[subword],
                  1e-5);
      input.push_back(sentence.prefix[i]);
    }
  }
}

TEST(BeamSearch, TellsWhichSourceSubwordEachSubwordAttendsTo) {
  const auto options = search_options(3);
  auto sentence = fake_sentence({4, 5, 6, 4}, 9);  // the fake attention goes from one position to the next
  sentence.is_aligned = true;
  for (const bool aligns_input : {false, true}) {  // known one step later, and so not of the last one if it is cut off
    const FakeModel model(FakeTraits{.aligns_input = aligns_input});
    for (const auto& hypothesis : decode_alone(model, options, sentence)) {
      ASSERT_EQ(hypothesis.aligned.size(), hypothesis.ids.size());
      for (std::size_t i = 0; i < hypothesis.ids.size(); ++i) {
        const auto looked_at = (i + 1) % sentence.encoder_input.size();
        const bool at_subword = looked_at > 0 && looked_at + 1 < sentence.encoder_input.size();
        const auto expected = at_subword ? static_cast<std::int64_t>(looked_at) : 1;  // sos and eos aside
        const bool is_unread = aligns_input && hypothesis.truncated && i + 1 == hypothesis.ids.size();
        EXPECT_EQ(hypothesis.aligned[i], is_unread ? -1 : expected);
      }
    }
  }
}

}  // namespace
}  // namespace translate::testing

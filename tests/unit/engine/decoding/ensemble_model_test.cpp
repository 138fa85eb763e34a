#include "decoding/ensemble_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "unit/engine/decoding/search/fake_model.h"

namespace translate::testing {
namespace {

using Models = std::vector<std::shared_ptr<const InferenceModel>>;

std::shared_ptr<const InferenceModel> fake(const FakeTraits& traits) { return std::make_shared<FakeModel>(traits); }

FakeTraits spread(double width) { return {.vocabulary = 9, .spread = width}; }

/// One step of two sentences, after sos.
struct Step {
  std::vector<std::vector<float>> logits;
  std::vector<std::vector<float>> attention;
};

Step step_of(const InferenceModel& model) {
  const auto session = model.start();
  session->give_attention(true);
  const Ids first = {1, 5, 6, 2};
  const Ids second = {1, 7, 2};
  const std::vector<std::span<const std::int64_t>> sources = {first, second};
  session->add(sources);
  EXPECT_EQ(session->rows(), 2);
  Step step{.logits = std::vector<std::vector<float>>(2), .attention = std::vector<std::vector<float>>(2)};
  session->step(Ids{1, 1}, [&](std::int64_t row, const NextSubword& next) {
    step.logits[static_cast<std::size_t>(row)].assign(next.logits.values.begin(), next.logits.values.end());
    step.attention[static_cast<std::size_t>(row)].assign(next.attention.begin(), next.attention.end());
  });
  return step;
}

TEST(EnsembleModel, ProbabilitiesAreTheMean) {
  const EnsembleModel ensemble({fake(spread(1.0)), fake(spread(5.0)), fake(spread(0.1))});
  const auto found = step_of(ensemble);
  const Step parts[] = {step_of(FakeModel(spread(1.0))), step_of(FakeModel(spread(5.0))),
                        step_of(FakeModel(spread(0.1)))};
  for (std::size_t row = 0; row < 2; ++row) {
    const auto scores = log_softmax(found.logits[row]);
    for (std::size_t subword = 0; subword < 9; ++subword) {
      double mean = 0.0;
      for (const auto& part : parts) {
        mean += std::exp(log_softmax(part.logits[row])[subword]) / 3.0;
      }
      EXPECT_NEAR(std::exp(scores[subword]), mean, 1e-6);
    }
    for (std::size_t i = 0; i < found.attention[row].size(); ++i) {
      EXPECT_NEAR(found.attention[row][i], parts[0].attention[row][i], 1e-6);
    }
  }
  EXPECT_EQ(found.attention[1].size(), 3U);
}

TEST(EnsembleModel, HasTheProbabilitiesOfAShortlist) {
  const auto fake_with = [](double width) { return FakeModel(spread(width)); };
  const Ids list = {2, 5, 7};
  const auto probabilities = [&](const InferenceModel& model) {
    const auto session = model.start();
    const Ids first = {1, 5, 2};
    const Ids second = {1, 7, 2};
    const std::vector<std::span<const std::int64_t>> sources = {first, second};
    const std::vector<std::span<const std::int64_t>> lists = {list, {}};
    session->add(sources, lists);
    std::vector<std::vector<double>> found(2);
    session->step(Ids{1, 1}, [&](std::int64_t row, const NextSubword& next) {
      EXPECT_TRUE(std::ranges::equal(next.logits.subwords, row == 0 ? list : Ids()));
      found[static_cast<std::size_t>(row)] = log_softmax({next.logits.values.begin(), next.logits.values.end()});
      std::ranges::for_each(found[static_cast<std::size_t>(row)], [](double& score) { score = std::exp(score); });
    });
    return found;
  };
  const auto found = probabilities(EnsembleModel({fake(spread(1.0)), fake(spread(5.0))}));
  const auto one = probabilities(fake_with(1.0));
  const auto other = probabilities(fake_with(5.0));
  for (std::size_t row = 0; row < 2; ++row) {
    ASSERT_EQ(found[row].size(), row == 0 ? 3U : 9U);
    for (std::size_t place = 0; place < found[row].size(); ++place) {
      EXPECT_NEAR(found[row][place], (one[row][place] + other[row][place]) / 2.0, 1e-6);
    }
  }
}

TEST(EnsembleModel, AlignsInputsIfAllModelsDo) {
  const FakeTraits of_input{.aligns_input = true};
  const auto aligns_input = [](const EnsembleModel& ensemble) {
    const auto session = ensemble.start();
    session->give_attention(true);
    const Ids source = {1, 5, 6, 2};
    const std::vector<std::span<const std::int64_t>> sources = {source};
    session->add(sources);
    bool result = false;
    session->step(Ids{1}, [&](std::int64_t /*row*/, const NextSubword& next) {
      result = next.is_of_input;
      EXPECT_EQ(std::ranges::equal(next.attention, next.predicting), !result);
    });
    return result;
  };
  EXPECT_TRUE(aligns_input(EnsembleModel({fake(of_input), fake(of_input)})));
  EXPECT_FALSE(aligns_input(EnsembleModel({fake(of_input), fake(FakeTraits{})})));
}

TEST(EnsembleModel, OfOneModelTwiceIsTheModel) {
  const EnsembleModel twice({fake(spread(3.0)), fake(spread(3.0))});
  const FakeModel once(spread(3.0));
  for (std::int64_t i = 0; i < 30; ++i) {
    const auto sentence = fake_sentence({i, 4}, 8);
    const auto found = decode_alone(twice, search_options(4), sentence);
    const auto expected = decode_alone(once, search_options(4), sentence);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].ids, expected[k].ids);
      EXPECT_NEAR(found[k].score, expected[k].score, 1e-4);
    }
  }
}

TEST(EnsembleModel, SupportsWhatAllOfItsModelsSupport) {
  auto joining = spread(1.0);
  joining.can_join = true;
  joining.side_by_side = true;
  const EnsembleModel both({fake(joining), fake(joining)});
  EXPECT_TRUE(both.runs_side_by_side());
  EXPECT_TRUE(both.start()->can_join());
  const EnsembleModel one({fake(joining), fake(spread(1.0))});
  EXPECT_FALSE(one.runs_side_by_side());
  EXPECT_FALSE(one.start()->can_join());
  EXPECT_EQ(one.vocabulary(), 9);
}

TEST(EnsembleModel, NeedsOneVocabulary) {
  try {
    const EnsembleModel ensemble({fake({.vocabulary = 7}), fake({.vocabulary = 8})});
    FAIL() << "not noticed";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("same target vocabulary: one has 7 subwords, another 8"));
  }
  EXPECT_THROW(EnsembleModel(Models{}), ConfigError);
}

}  // namespace
}  // namespace translate::testing

#include "checkpoints/training_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate::trainer {
namespace {

class TrainingStateTest : public CheckpointFixture {
 protected:
  TrainingState round_trip(const TrainingState& state) const {
    return parse(training_state_json(state, json_), training_state_tensors(state));
  }

  TrainingState parse(const std::string& json, const NamedTensors& tensors) const {
    write_safetensors(tensors_, tensors);
    return parse_training_state(json, json_, SafetensorsFile(tensors_));
  }

  /// `json` with the first `from` changed to `to`.
  static std::string changed(std::string json, const std::string& from, const std::string& to) {
    const std::size_t place = json.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return json.replace(place, from.size(), to);
  }

  std::filesystem::path json_ = folder_ / "training_state.json";
  std::filesystem::path tensors_ = folder_ / "training_state.safetensors";
};

void expect_same(const TrainingState& left, const TrainingState& right) {
  EXPECT_EQ(left.step, right.step);
  EXPECT_EQ(left.epoch, right.epoch);
  EXPECT_EQ(left.batches_in_epoch, right.batches_in_epoch);
  EXPECT_EQ(left.target_tokens, right.target_tokens);
  EXPECT_EQ(left.seconds, right.seconds);
  EXPECT_EQ(left.last_validation, right.last_validation);
  EXPECT_EQ(left.best_validation, right.best_validation);
  EXPECT_EQ(left.validations_since_best, right.validations_since_best);
  EXPECT_EQ(left.window, right.window);
  expect_same_tensors(left.exp_avg, right.exp_avg);
  expect_same_tensors(left.exp_avg_sq, right.exp_avg_sq);
  expect_same_tensors(left.weights, right.weights);
}

TEST_F(TrainingStateTest, EveryFieldComesBackExactly) {
  TrainingState state = make_training_state(10);
  state.seconds = 0.1 + 0.2;
  expect_same(round_trip(state), state);
}

TEST_F(TrainingStateTest, OfFormat1IsReadWithoutItsRandomStates) {
  const TrainingState state = make_training_state(10);
  const auto json = changed(training_state_json(state, json_), "\"format\":2", "\"format\":1");
  auto tensors = training_state_tensors(state);
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(name.find("random"), std::string::npos) << name;
  }
  tensors.emplace_back("random.cpu", at::arange(100, at::kByte));
  expect_same(parse(json, tensors), state);
  tensors.emplace_back("random.cuda", at::arange(16, at::kByte));
  expect_same(parse(json, tensors), state);
}

TEST_F(TrainingStateTest, WeightsBesideTheirAverageAndTheDivergenceComeBack) {
  TrainingState state = make_training_state(10);
  const std::string without = training_state_json(state, json_);
  const auto tensors_without = training_state_tensors(state);
  state.weights = {{"b.weight", at::randn({4, 3})}, {"a.bias", at::randn({3})}};
  state.window.divergence_sum = 1.0 / 3.0;
  expect_same(round_trip(state), state);
  // Without them nothing is written of them, so that a state is what it was before they were there.
  EXPECT_EQ(without.find("divergence"), std::string::npos);
  EXPECT_EQ(training_state_tensors(state).size(), tensors_without.size() + 2);
}

TEST_F(TrainingStateTest, AFreshStateComesBackToo) {
  const TrainingState state;
  expect_same(round_trip(state), state);
}

TEST_F(TrainingStateTest, MissingUnknownAndOddFieldsAreNamed) {
  const TrainingState state = make_training_state(10);
  const std::string json = training_state_json(state, json_);
  const auto error = [&](const std::string& from, const std::string& to) {
    return error_of<CheckpointError>([&] { (void)parse(changed(json, from, to), training_state_tensors(state)); });
  };
  EXPECT_EQ(error("\"epoch\":3,", ""), json_.string() + ": damaged: epoch: missing");
  EXPECT_NE(error("\"epoch\":3", "\"epoch\":3.5").find("epoch: expected an integer of at least 0"), std::string::npos);
  EXPECT_NE(error("\"epoch\":3", "\"epoch\":-3").find("epoch: expected an integer of at least 0"), std::string::npos);
  EXPECT_NE(error("\"epoch\":3", "\"epoch\":3,\"era\":1").find("era: unknown field"), std::string::npos);
  EXPECT_NE(error("\"loss_sum\":", "\"loss\":").find("window.loss: unknown field"), std::string::npos);
  EXPECT_NE(error("\"score\":0.1", "\"score\":null").find("last_validation.score: expected a number, got null"),
            std::string::npos);
  EXPECT_NE(error("\"format\":2", "\"format\":3").find("format 3 is unknown: this version reads formats 1 to 2"),
            std::string::npos);
  EXPECT_NE(error("{", "").find(json_.string()), std::string::npos);
}

TEST_F(TrainingStateTest, TensorsThatDoNotFitAreNamed) {
  const std::string json = training_state_json(make_training_state(1), json_);
  const auto error = [&](const NamedTensors& tensors) {
    const std::string text = error_of<CheckpointError>([&] { (void)parse(json, tensors); });
    EXPECT_EQ(text.rfind(tensors_.string(), 0), 0U) << text;
    return text;
  };
  const at::Tensor moment = at::zeros({3});
  EXPECT_NE(error({{"other", moment}}).find("unknown tensor \"other\""), std::string::npos);
  EXPECT_NE(error({{"exp_avg_sq.a", moment}}).find("has no \"exp_avg.a\""), std::string::npos);
  EXPECT_NE(error({{"exp_avg.a", moment}, {"exp_avg_sq.b", moment}}).find("\"exp_avg_sq.b\""), std::string::npos);
  EXPECT_NE(error({{"exp_avg.a", moment}, {"exp_avg_sq.a", at::zeros({4})}}).find("of its shape"), std::string::npos);
}

TEST_F(TrainingStateTest, NumbersThatAreNotFiniteAreNotWritten) {
  TrainingState state = make_training_state(1);
  state.window.loss_sum = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of<RuntimeError>([&] { (void)training_state_json(state, json_); }),
            "cannot write " + json_.string() + ": \"window.loss_sum\" is nan, not a finite number");
}

}  // namespace
}  // namespace translate::trainer

// Training pairs that are changed while they are read, and what a model loses on changed text.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Modifiers : public ProgramTest {
 protected:
  /// About half of the pairs are changed; 6 steps an epoch.
  static Json config(int max_steps) {
    auto config = tiny_config();
    config["data"]["modifiers"] = {{"upper_case", 0.1}, {"title_case", 0.1},  {"final_punctuation", 0.2},
                                   {"typos", 0.2},      {"noise", 0.1},       {"joined", 0.1},
                                   {"keep", 0.2},       {"placeholders", 0.3}};
    config["tokenizer"]["vocab_size"] = 230;
    config["tokenizer"]["sampling"] = {{"source", true}, {"alpha", 0.2}};
    config["training"]["batch_sentences"] = 10;
    config["training"]["max_steps"] = max_steps;
    config["training"]["validate_every"] = 1000;
    config["training"]["checkpoint_every"] = 100;
    return config;
  }

  ProcessResult train(const Json& config, const std::string& run, Arguments arguments = {}) {
    arguments.insert(arguments.begin(), {"--run-dir", run});
    auto result = workspace_.train(config, arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }

  [[nodiscard]] std::string weights(const std::string& run) const {
    const auto names = workspace_.list(run + "/checkpoints");
    return workspace_.read(run + "/checkpoints/" + names.back() + "/model.safetensors");
  }
};

TEST_F(Modifiers, AResumedRunGivesTheSameBytes) {
  train(config(16), "straight");
  train(config(16), "stopped", {"--set", "training.max_steps=8"});
  EXPECT_THAT(train(config(16), "stopped").err, HasSubstr("resuming from"));
  EXPECT_TRUE(weights("straight") == weights("stopped"));
  auto plain = config(16);
  plain["data"].erase("modifiers");
  train(plain, "plain");
  EXPECT_FALSE(weights("straight") == weights("plain"));
}

TEST_F(Modifiers, AreNotChangedByAResumedRun) {
  train(config(2), "run");
  auto other = config(4);
  other["data"]["modifiers"]["typos"] = 0.3;
  const auto result = workspace_.train(other, {"--run-dir", "run"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("data.modifiers.typos"));
}

TEST_F(Modifiers, AreShownByCheck) {
  const auto result = workspace_.train(config(8), {"--check"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("modifiers     change about "), HasSubstr(" % of the pairs, target tokens ")));
  EXPECT_EQ(count_of(result.out, "  becomes\n"), 10U);
  EXPECT_THAT(result.out, HasSubstr("train.en:"));
  auto plain = config(8);
  plain["data"].erase("modifiers");
  EXPECT_THAT(workspace_.train(plain, {"--check"}).out, Not(HasSubstr("modifiers")));
}

TEST_F(Modifiers, WrongProbabilitiesAreToldWithTheirKey) {
  auto wrong = config(8);
  wrong["data"]["modifiers"]["upper_case"] = 1.5;
  EXPECT_THAT(workspace_.train(wrong).err,
              AllOf(HasSubstr("data.modifiers.upper_case"), HasSubstr("from 0 to 1"), HasSubstr("1.5")));
  wrong = config(8);
  wrong["data"]["modifiers"]["uppercase"] = 0.5;
  EXPECT_THAT(workspace_.train(wrong).err, AllOf(HasSubstr("uppercase"), HasSubstr("upper_case")));
}

TEST_F(Modifiers, RobustnessIsATableAndJson) {
  const auto result = trained().evaluate({"--robustness", "--metrics", "bleu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const auto* line : {"robustness", "plain", "upper case", "title case", "lower case", "no final stop", "typos",
                           "noise", "placeholders"}) {
    EXPECT_THAT(result.out, HasSubstr("\n" + std::string(line) + " "));
  }
  const auto object = Json::parse(trained().evaluate({"--robustness", "--json"}).out);
  const auto& rows = object["robustness"];
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0]["change"], "plain");
  EXPECT_EQ(rows[0]["bleu"], object["bleu"]["score"]);
  EXPECT_EQ(rows[1]["change"], "upper_case");
  EXPECT_GT(rows[1]["loss"], 0.0);  // a model that has never seen capitals
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_THAT(keys_of(rows[i]), ElementsAre("change", "bleu", "loss", "changed_sources"));
  }
  for (std::size_t i = 6; i < 8; ++i) {
    EXPECT_THAT(keys_of(rows[i]), ElementsAre("change", "bleu", "loss", "changed_sources", "kept"));
  }
}

TEST_F(Modifiers, RobustnessNeedsAModel) {
  const auto result = workspace_.evaluate({"--robustness", "--hypotheses", "held.fr", "--reference", "held.fr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--robustness"));
}

}  // namespace
}  // namespace translate

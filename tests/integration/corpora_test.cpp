// Corpora in several files, found by patterns, and drawn by weight and temperature.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Corpora : public ProgramTest {
 protected:
  Corpora() {
    const auto pairs = small_corpus();
    for (std::size_t part = 0; part < 3; ++part) {
      const auto lines = [&](const std::vector<std::string>& all) {
        return join_lines({all.begin() + static_cast<std::ptrdiff_t>(20 * part),
                           all.begin() + static_cast<std::ptrdiff_t>(20 * (part + 1))});
      };
      const auto name = "parts/part-" + std::to_string(part);
      workspace_.write(name + ".en.gz", gzip(lines(pairs.source)));
      workspace_.write(name + ".fr.gz", gzip(lines(pairs.target)));
    }
  }

  /// 16 steps of 2 batches; an epoch has 3 steps.
  static Json config_with(const Json& train) {
    auto config = tiny_config();
    config["data"]["train"] = train;
    config["model"]["dropout"] = 0.2;
    auto& training = config["training"];
    training["batch_sentences"] = 11;
    training["accumulation_steps"] = 2;
    training["max_steps"] = 10;
    training["validate_every"] = 1000;
    training["checkpoint_every"] = 4;
    return config;
  }

  static Json weighted(double weight) {
    return {{{"source", "held.en"}, {"target", "held.fr"}, {"weight", weight}},
            {{"source", "parts/part-*.en.gz"}, {"target", "parts/part-*.fr.gz"}}};
  }

  std::string train(const Json& config, const std::string& run, Arguments arguments = {}, int exit_code = 0) {
    arguments.insert(arguments.begin(), {"--run-dir", run});
    const auto result = workspace_.train(config, arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return result.err;
  }

  [[nodiscard]] std::string saved(const std::string& run, const std::string& file) const {
    return workspace_.read(run + "/checkpoints/step-00000010/" + file);
  }

  const Json pattern_ = {{"source", "parts/part-*.en.gz"}, {"target", "parts/part-*.fr.gz"}};
};

TEST_F(Corpora, FilesOfAPatternAreTrainedOnAsOneFileWouldBe) {
  train(config_with({{"source", "train.en"}, {"target", "train.fr"}}), "one");
  train(config_with(pattern_), "parts-run");
  EXPECT_TRUE(saved("one", "model.safetensors") == saved("parts-run", "model.safetensors"));
  const auto config = Json::parse(workspace_.read("parts-run/config.json"));
  ASSERT_EQ(config["data"]["train"].size(), 1U);
  EXPECT_EQ(config["data"]["train"][0]["source"].size(), 3U);
  const auto sums = Json::parse(saved("parts-run", "data.json"));
  ASSERT_EQ(sums["train"].size(), 3U);
  EXPECT_EQ(sums["train"][2]["target"]["path"], (workspace_ / "parts/part-2.fr.gz").string());

  // The run goes on if the configuration lists the same parts, and not with other text.
  const Json listed = {{"source", {"parts/part-0.en.gz", "parts/part-1.en.gz", "parts/part-2.en.gz"}},
                       {"target", {"parts/part-0.fr.gz", "parts/part-1.fr.gz", "parts/part-2.fr.gz"}}};
  EXPECT_THAT(train(config_with(listed), "parts-run"), HasSubstr("resuming from"));
  workspace_.write("parts/part-1.fr.gz", gzip(join_lines(std::vector<std::string>(20, "la vie"))));
  EXPECT_THAT(train(config_with(pattern_), "parts-run", {}, 2),
              AllOf(HasSubstr("parts/part-1.fr.gz has different content"), HasSubstr("data.train")));
  workspace_.write("parts/part-3.en.gz", gzip("a\n"));
  workspace_.write("parts/part-3.fr.gz", gzip("b\n"));
  EXPECT_THAT(train(config_with(pattern_), "parts-run", {}, 2),
              HasSubstr("with 3 pairs of files, and now there are 4"));
}

TEST_F(Corpora, TestSetsMayBePatternsToo) {
  auto config = config_with(pattern_);
  config["data"]["test"] = pattern_;
  config["data"]["validation"] = pattern_;
  train(config, "run");
  const auto result = workspace_.evaluate({"--run-dir", "run", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["sentences"], 60);
}

TEST_F(Corpora, WrongPatternsAreNamed) {
  const auto error = [&](const std::string& source, const std::string& target) {
    return train(config_with({{"source", source}, {"target", target}}), "none", {}, 2);
  };
  EXPECT_THAT(error("parts/*.de", "parts/*.fr.gz"),
              AllOf(HasSubstr("tiny.json:"), HasSubstr("data.train: "), HasSubstr("parts/*.de: matches no file")));
  EXPECT_THAT(error("parts/part-*.en.gz", "train.fr"), HasSubstr("expected one on both sides"));
  std::filesystem::remove(workspace_ / "parts/part-1.fr.gz");
  EXPECT_THAT(
      error("parts/part-*.en.gz", "parts/part-*.fr.gz"),
      HasSubstr("part-1.en.gz has no counterpart: there is no " + (workspace_ / "parts/part-1.fr.gz").string()));
  EXPECT_FALSE(workspace_.holds("none"));
}

TEST_F(Corpora, WeightedRunsGoOnInTheMiddleOfAnEpoch) {
  const auto config = config_with(weighted(10));
  const auto told = train(config, "straight");
  EXPECT_THAT(told, HasSubstr("data: an epoch draws 33 times from the 6 pairs of " + (workspace_ / "held.en").string() +
                              " (50.0 % of the epoch)"));
  EXPECT_THAT(told, HasSubstr("from the 60 pairs of " + (workspace_ / "parts/part-0.en.gz").string() + " and 2 more"));
  train(config, "stopped", {"--set", "training.max_steps=5"});
  const auto state = Json::parse(workspace_.read("stopped/checkpoints/step-00000005/training_state.json"));
  EXPECT_GT(state["batches_in_epoch"], 0);
  EXPECT_THAT(train(config, "stopped"), AllOf(HasSubstr("resuming from"), HasSubstr("step 5")));
  for (const auto* file : {"model.safetensors", "training_state.safetensors"}) {
    EXPECT_TRUE(saved("straight", file) == saved("stopped", file)) << file;
  }
  EXPECT_EQ(Json::parse(workspace_.read("straight/config.json"))["data"]["train"][0]["weight"], 10.0);
}

TEST_F(Corpora, WeightsAndTemperatureShapeTheRunAndStay) {
  train(config_with(weighted(1)), "plain");
  const Json even = {{{"source", "held.en"}, {"target", "held.fr"}, {"weight", 3}},
                     {{"source", "parts/part-*.en.gz"}, {"target", "parts/part-*.fr.gz"}, {"weight", 3}}};
  EXPECT_THAT(train(config_with(even), "even"), Not(HasSubstr("an epoch draws")));
  EXPECT_TRUE(saved("plain", "model.safetensors") == saved("even", "model.safetensors"));
  train(config_with(weighted(10)), "weighted");
  EXPECT_FALSE(saved("plain", "model.safetensors") == saved("weighted", "model.safetensors"));
  auto warm = config_with(weighted(1));
  warm["data"]["sampling_temperature"] = 5;
  EXPECT_THAT(train(warm, "warm"), HasSubstr("data: an epoch draws 26 times from the 6 pairs"));  // 66 * 0.387
  EXPECT_FALSE(saved("plain", "model.safetensors") == saved("warm", "model.safetensors"));

  EXPECT_THAT(train(config_with(weighted(9)), "weighted", {}, 2), HasSubstr("other values of: data.train."));
  EXPECT_THAT(train(config_with(weighted(1)), "weighted", {}, 2), HasSubstr("other values of: data.train."));
  EXPECT_THAT(train(config_with(weighted(1)), "warm", {}, 2), HasSubstr("data.sampling_temperature"));
  EXPECT_EQ(train(config_with(even), "plain").find("other values"), std::string::npos);  // they say the same
}

TEST_F(Corpora, CheckTellsTheTokensOfAnEpoch) {
  const auto tokens = [&](const Json& train) {
    const auto config = config_with(train);
    workspace_.write("tiny.json", config.dump());
    const auto result = workspace_.run("translate-train", {"--config", "tiny.json", "--check"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto begin = result.out.find("tokens");
    return result.out.substr(begin, result.out.find('\n', begin) - begin);
  };
  EXPECT_NE(tokens(weighted(1)), tokens(weighted(10)));
}

}  // namespace
}  // namespace translate

// What training does and reports: metrics, limits, accumulation, the checkpoints it keeps.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Training : public ProgramTest {
 protected:
  void train(const Json& config, const Arguments& arguments = {}) {
    result_ = workspace_.train(config, arguments);
    ASSERT_EQ(result_.exit_code, 0) << result_.err;
    EXPECT_EQ(result_.out, "");
  }
  [[nodiscard]] std::vector<Json> entries(const std::string& kind, const std::string& run = "runs/tiny") const {
    std::vector<Json> entries;
    for (const auto& object : workspace_.metrics(run)) {
      if (object["kind"] == kind) {
        entries.push_back(object);
      }
    }
    return entries;
  }

  ProcessResult result_;
};

TEST_F(Training, ReportsHaveTheDocumentedFields) {
  train(tiny_config());  // 8 steps, reports every 2, validation every 4
  const auto reports = entries("train");
  ASSERT_EQ(reports.size(), 4U);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& report = reports[i];
    EXPECT_EQ(report["step"], 2 * (i + 1));
    EXPECT_NEAR(report["ppl"], std::exp(report["loss"].get<double>()), 1e-9 * report["ppl"].get<double>());
    EXPECT_GT(report["tokens_per_second"], 0.0);
    for (const auto* key : {"epoch", "smoothed_loss", "lr", "target_tokens", "seconds"}) {
      EXPECT_TRUE(report[key].is_number()) << key;
    }
    if (i > 0) {
      EXPECT_GT(report["target_tokens"], reports[i - 1]["target_tokens"]);
      EXPECT_GE(report["seconds"], reports[i - 1]["seconds"]);
    }
  }
  EXPECT_NEAR(reports[0]["lr"], 0.01 * 2 / 5, 1e-12);  // warm-up over 5 steps
  EXPECT_NEAR(reports[3]["lr"], 0.01, 1e-12);
}

TEST_F(Training, ValidatesBeforeTheFirstStepToo) {
  train(tiny_config());
  const auto validations = entries("validation");
  ASSERT_EQ(validations.size(), 3U);
  EXPECT_EQ(workspace_.metrics().front()["kind"], "validation");
  for (std::size_t i = 0; i < validations.size(); ++i) {
    EXPECT_EQ(validations[i]["step"], 4 * i);
    EXPECT_TRUE(validations[i]["bleu"].is_number());
    EXPECT_NEAR(validations[i]["ppl"], std::exp(validations[i]["loss"].get<double>()), 1e-6);
  }
  EXPECT_EQ(validations[0]["target_tokens"], 0);
  EXPECT_GT(validations[0]["loss"], 2.0);  // about the logarithm of the 90 subwords
  EXPECT_LT(validations[2]["loss"], validations[0]["loss"]);
}

TEST_F(Training, CountsAnEpochsTargetTokensOnce) {
  auto config = tiny_config();
  config["training"].update({{"max_steps", 0}, {"max_epochs", 2}, {"log_every", 1}, {"validate_every", "epoch"}});
  train(config);
  const auto total = entries("train").back();
  EXPECT_EQ(total["epoch"], 2);
  // "data: 60 training pairs, N source and M target tokens (eos counted)"
  const auto expected = std::to_string(total["target_tokens"].get<std::int64_t>() / 2) + " target tokens";
  EXPECT_THAT(result_.err, AllOf(HasSubstr(expected), HasSubstr("training ended: max_epochs = 2")));
  EXPECT_EQ(entries("validation").size(), 3U);
}

TEST_F(Training, TheLastLinesSayWhyItEndedWhereAndWhatNext) {
  train(tiny_config());
  const auto lines = split_lines(result_.err);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_THAT(lines[lines.size() - 2], AllOf(HasSubstr("max_steps = 8"),
                                             HasSubstr((workspace_ / "runs/tiny/checkpoints/step-00000008").string())));
  EXPECT_THAT(lines.back(), AllOf(HasSubstr("translate-eval"), HasSubstr("translate-infer")));
}

TEST_F(Training, EndsAfterTheMinutesGiven) {
  auto config = tiny_config();
  config["data"]["validation"] = Json::array();  // it would take a time of its own
  config["training"].update({{"max_steps", 0}, {"max_minutes", 0.001}});
  train(config);
  EXPECT_THAT(result_.err, HasSubstr("training ended: max_minutes = 0.001"));
  const auto checkpoints = workspace_.list("runs/tiny/checkpoints");
  ASSERT_FALSE(checkpoints.empty());
  const auto state =
      Json::parse(workspace_.read("runs/tiny/checkpoints/" + checkpoints.back() + "/training_state.json"));
  EXPECT_GE(state["seconds"], 0.06);
}

TEST_F(Training, AccumulatedBatchesMakeOneStepOfTheirSum) {
  auto config = tiny_config();
  config["model"]["dropout"] = 0;
  config["training"].update({{"batch_sentences", 60}, {"max_steps", 6}, {"log_every", 1}, {"validate_every", 6}});
  train(config, {"--run-dir", "whole"});
  config["training"].update({{"batch_sentences", 20}, {"accumulation_steps", 3}});
  train(config, {"--run-dir", "parts"});
  const auto whole = entries("train", "whole");
  const auto parts = entries("train", "parts");
  ASSERT_EQ(whole.size(), 6U);
  ASSERT_EQ(parts.size(), 6U);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(parts[i]["target_tokens"], whole[i]["target_tokens"]);
    EXPECT_EQ(parts[i]["epoch"], i + 1);
    EXPECT_NEAR(parts[i]["loss"], whole[i]["loss"], 1e-4);
  }
}

TEST_F(Training, StopsEarlyWhereValidationNoLongerImproves) {
  auto config = tiny_config();
  config["training"].update({{"schedule", "noam"},
                             {"learning_rate", 20.0},
                             {"warmup_steps", 1},
                             {"max_steps", 200},
                             {"validate_every", 3},
                             {"checkpoint_every", 3},
                             {"patience", 3},
                             {"best_metric", "loss"},
                             {"keep_last", 100}});
  train(config);
  EXPECT_THAT(result_.err, HasSubstr("training ended: patience = 3"));
  const auto validations = entries("validation");
  ASSERT_GE(validations.size(), 4U);
  std::size_t best = 1;  // that before the first step does not count
  for (std::size_t i = best; i < validations.size(); ++i) {
    if (validations[i]["loss"] < validations[best]["loss"]) {
      best = i;
    }
  }
  EXPECT_EQ(best + 3, validations.size() - 1);
}

TEST_F(Training, StopsEarlyWhereBleuNoLongerRises) {
  auto config = tiny_config();
  config["training"].update({{"learning_rate", 1e-30} /* nothing is learnt: BLEU and loss stay where they were */,
                             {"max_steps", 200},
                             {"validate_every", 3},
                             {"patience", 4},
                             {"best_metric", "bleu"}});
  train(config);
  EXPECT_THAT(result_.err, HasSubstr("training ended: patience = 4"));
  EXPECT_EQ(entries("validation").size(), 6U);  // before the first step, the first after it, four that are no better
}

TEST_F(Training, ShortReferencesAreJudgedByChrfFromTheFirstStartOn) {
  auto config = tiny_config();  // without best_metric
  workspace_.write("short.en", "red cat\nblue dog\n");
  workspace_.write("short.fr", "chat rouge\nchien bleu\n");
  config["data"]["validation"] = {{"source", "short.en"}, {"target", "short.fr"}};
  train(config);
  EXPECT_THAT(result_.err, AllOf(HasSubstr("so chrF chooses the best checkpoint"), HasSubstr("  chrF ")));
  EXPECT_EQ(Json::parse(workspace_.read("runs/tiny/config.json"))["training"]["best_metric"], "chrf");
  for (const auto& validation : entries("validation")) {
    EXPECT_EQ(validation["bleu"], 0.0);
    EXPECT_TRUE(validation["chrf"].is_number());
  }
  const auto list = workspace_.infer({"--list", "--json"});
  EXPECT_EQ(Json::parse(split_lines(list.out).front())["metric"], "chrf");
  config["training"]["max_steps"] = 10;
  train(config);  // resumes: the metric is that of the run
  config["training"]["best_metric"] = "bleu";
  const auto refused = workspace_.train(config);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("started with other values of: training.best_metric"));
}

TEST_F(Training, ARunThatWasStartedByBleuStaysWithIt) {
  auto config = tiny_config();
  workspace_.write("short.en", "red cat\n");
  workspace_.write("short.fr", "chat rouge\n");
  config["data"]["validation"] = {{"source", "short.en"}, {"target", "short.fr"}};
  config["training"]["best_metric"] = "bleu";
  train(config);
  config["training"].erase("best_metric");
  config["training"]["max_steps"] = 10;
  train(config);
  EXPECT_THAT(result_.err, AllOf(HasSubstr("resuming from"), ::testing::Not(HasSubstr("chrF"))));
  EXPECT_EQ(Json::parse(workspace_.read("runs/tiny/config.json"))["training"]["best_metric"], "bleu");
}

TEST_F(Training, KeepsACheckpointOfEachOfTheBestValidations) {
  auto config = tiny_config();
  config["training"].update({{"max_steps", 20},
                             {"validate_every", 2},
                             {"checkpoint_every", 1000},
                             {"best_metric", "loss"},
                             {"keep_last", 1},
                             {"keep_best", 3}});
  train(config);
  std::vector<std::pair<double, int>> validations;
  for (const auto& validation : entries("validation")) {
    if (validation["step"] > 0) {
      validations.emplace_back(validation["loss"], validation["step"]);
    }
  }
  std::sort(validations.begin(), validations.end());
  const auto kept = workspace_.list("runs/tiny/checkpoints");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = std::to_string(validations[i].second);
    const auto name = "step-" + std::string(8 - number.size(), '0') + number;
    EXPECT_THAT(kept, ::testing::Contains(name));
  }
  const auto best = workspace_.infer({"--checkpoint", "average-best:3", "the cat"});
  EXPECT_EQ(best.exit_code, 0) << best.err;
  const auto more = workspace_.infer({"--checkpoint", "average-best:9", "the cat"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(more.out, best.out);  // the mean of those that there are
  EXPECT_THAT(more.err, HasSubstr("training.keep_best"));
}

TEST_F(Training, KeepsACheckpointOfEachEpochAndShowsTranslations) {
  auto config = tiny_config();
  config["training"].update({{"batch_sentences", 20},
                             {"max_steps", 0},
                             {"max_epochs", 5},
                             {"validate_every", "epoch"},
                             {"checkpoint_every", "epoch"},
                             {"keep_last", "all"},
                             {"show_translations", 2}});
  train(config, {"--log-level", "debug"});
  EXPECT_EQ(workspace_.list("runs/tiny/checkpoints").size(), 5U);
  EXPECT_EQ(count_of(result_.err, "  source:      "), 2U * entries("validation").size());
  EXPECT_EQ(count_of(result_.err, "  translation: "), 2U * entries("validation").size());
  EXPECT_THAT(result_.err, HasSubstr("  reference:   " + split_lines(workspace_.read("held.fr")).front()));
  // Each pair is named once in each epoch.
  EXPECT_EQ(count_of(result_.err, "a batch of 20 pairs: "), 15U);
  EXPECT_EQ(count_of(result_.err, "train.en:"), 300U);
  const auto third = workspace_.infer({"--checkpoint", "epoch-3", "--greedy", "the cat"});
  EXPECT_EQ(third.exit_code, 0) << third.err;
  EXPECT_EQ(third.out, workspace_.infer({"--checkpoint", "step-9", "--beam-size", "1", "the cat"}).out);
  EXPECT_EQ(workspace_.infer({"--checkpoint", "epoch-6", "the cat"}).exit_code, 2);
  EXPECT_EQ(workspace_.infer({"--greedy", "--beam-size", "4", "the cat"}).exit_code, 2);
}

TEST_F(Training, TrainsWithAWordLevelTokenizerAndFixedPadding) {
  auto config = tiny_config();
  config["tokenizer"] = {{"type", "wordlevel"}, {"min_frequency", 2}, {"shared", false}};
  config["data"]["max_length"] = 22;
  config["model"]["dropout"] = 0;
  config["model"]["tie_embeddings"] = "none";
  config["training"].update({{"log_every", 1}, {"fused_kernels", false}, {"precision", "fp32"}});
  train(config, {"--run-dir", "longest"});
  config["training"]["pad_to"] = 24;
  train(config, {"--run-dir", "fixed"});
  EXPECT_TRUE(workspace_.holds("fixed/tokenizers/source.json"));
  const auto longest = entries("train", "longest");
  const auto fixed = entries("train", "fixed");
  ASSERT_EQ(longest.size(), fixed.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    EXPECT_NEAR(fixed[i]["loss"], longest[i]["loss"], 1e-4);  // padding has no influence but for rounding
  }
  const auto translated = workspace_.infer({"--run-dir", "fixed", "the cat"});
  EXPECT_EQ(translated.exit_code, 0) << translated.err;
}

TEST_F(Training, KeepsTheLastAndTheBestCheckpoints) {
  auto config = tiny_config();
  config["training"].update({{"schedule", "noam"},
                             {"learning_rate", 2000.0} /* a rate that rises until the loss does */,
                             {"warmup_steps", 100},
                             {"max_steps", 16},
                             {"validate_every", 2},
                             {"checkpoint_every", 2},
                             {"best_metric", "loss"},
                             {"keep_last", 2},
                             {"keep_best", 1}});
  train(config);
  int best = 0;
  double best_loss = INFINITY;
  for (const auto& validation : entries("validation")) {
    if (validation["step"] > 0 && validation["loss"] < best_loss) {
      best = validation["step"];
      best_loss = validation["loss"];
    }
  }
  std::set<std::string> expected;
  for (const int step : {best, 14, 16}) {
    expected.insert(step < 10 ? "step-0000000" + std::to_string(step) : "step-000000" + std::to_string(step));
  }
  const auto names = workspace_.list("runs/tiny/checkpoints");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
  EXPECT_LT(best, 14) << "the best one should be an older one, or this test shows little";

  const auto evaluation = workspace_.evaluate({"--checkpoint", "best", "--json", "--metrics", "cer"});
  EXPECT_EQ(Json::parse(evaluation.out)["step"], best);
}

TEST_F(Training, TheSeedDecidesTheRun) {
  auto config = tiny_config();
  config["training"].update({{"max_steps", 3}, {"seed", 5}});
  const auto weights = [&](const std::string& run, const Arguments& arguments) {
    auto all = arguments;
    all.insert(all.end(), {"--run-dir", run});
    train(config, all);
    return workspace_.read(run + "/checkpoints/step-00000003/model.safetensors");
  };
  const auto first = weights("first", {});
  config["training"]["seed"] = 6;
  EXPECT_FALSE(weights("other", {}) == first);
  EXPECT_TRUE(weights("option", {"--seed", "5"}) == first);
  EXPECT_TRUE(weights("set", {"--set", "training.seed=5"}) == first);
}

TEST_F(Training, LearnsTheCorpus) { EXPECT_GT(trained().metrics().back()["bleu"], 80.0); }

TEST_F(Training, BuildsTheTokenizerOnceForTheSameText) {
  auto config = tiny_config();
  config["training"]["max_steps"] = 1;
  train(config);
  EXPECT_THAT(result_.err, HasSubstr("tokenizer: training"));
  std::filesystem::remove_all(workspace_ / "runs/tiny/checkpoints");
  train(config);
  EXPECT_THAT(result_.err,
              AllOf(HasSubstr("again (same text and settings)"), ::testing::Not(HasSubstr("tokenizer: training"))));
}

}  // namespace
}  // namespace translate

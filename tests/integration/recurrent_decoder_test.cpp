// A model whose decoder has recurrent units (model.decoder "ssru"), from training to translations.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Json recurrent_config() {
  auto config = tiny_config();
  config["model"]["decoder"] = "ssru";
  config["model"]["zero_start"] = true;
  return config;
}

/// A workspace with such a model in runs/tiny; made once, for reading only.
const Workspace& trained_recurrent() {
  static const TrainedWorkspace workspace(recurrent_config());
  return workspace;
}

/// The lines of a program that has succeeded, without their scores.
std::vector<std::string> texts_found(const ProcessResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return texts_without_scores(result);
}

class RecurrentDecoder : public ::testing::Test {
 protected:
  std::string text_ = join_lines(small_corpus().source);
  std::string sentence_ = small_corpus().source[0];
};

TEST_F(RecurrentDecoder, EverySearchFindsTheSameAtAnyBatchSize) {
  for (const Arguments& search :
       {Arguments{"--greedy"}, Arguments{"--beam-size", "4", "--n-best", "3"}, Arguments{"--sampling", "--seed", "3"},
        Arguments{"--beam-size", "4", "--precision", "int8", "--n-best", "2"},
        Arguments{"--beam-size", "4", "--min-length", "12", "--no-repeat-ngram", "2"}}) {
    const auto with = [&](const Arguments& more) {
      auto arguments = search;
      arguments.insert(arguments.end(), more.begin(), more.end());
      return trained_recurrent().infer(arguments, text_);
    };
    const auto usual = with({});
    EXPECT_EQ(texts_found(with({"--batch-tokens", "1", "--threads", "2"})), texts_found(usual));
    EXPECT_EQ(texts_found(with({"--batch-tokens", "130"})), texts_found(usual));
  }
}

TEST_F(RecurrentDecoder, AlignsAndTranslatesTogetherWithAnotherModel) {
  const auto aligned = trained_recurrent().infer({"--alignments", "--json", sentence_});
  ASSERT_EQ(aligned.exit_code, 0) << aligned.err;
  EXPECT_FALSE(Json::parse(aligned.out)["alignment"].empty());
  const auto ensemble = trained_recurrent().infer({"--checkpoint", "latest,best", sentence_});
  EXPECT_EQ(ensemble.exit_code, 0) << ensemble.err;
  const auto average = trained_recurrent().infer({"--checkpoint", "average:2", sentence_});
  EXPECT_EQ(average.exit_code, 0) << average.err;
}

TEST_F(RecurrentDecoder, IsCheckedAndExplained) {
  const auto& workspace = trained_recurrent();
  const auto check = workspace.run("translate-train", {"--config", "tiny.json", "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out + check.err, HasSubstr("recurrent_unit"));
  const auto shown = workspace.explain({"--layer", "0", sentence_});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("decoder.layers.0.recurrent_unit"), HasSubstr("relu of the state"),
                               HasSubstr("cross_attention_block, head 0"), Not(HasSubstr("Target mask"))));
  const auto json = workspace.explain({"--json", sentence_});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out)["parts"][0]["steps"][1]["shapes"]["recurrent_unit"][1], 2);
  const auto page = workspace.explain({"--learn", (workspace / "page.html").string()});
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_THAT(page.err, HasSubstr("this model's has recurrent units (model.decoder \"ssru\")"));
}

TEST_F(RecurrentDecoder, ARunGoesOnWhereItStoppedAndKeepsItsDecoder) {
  Workspace workspace;
  workspace.write_corpus();
  auto config = recurrent_config();
  config["model"]["dropout"] = 0.2;
  config["training"]["max_steps"] = 8;
  config["training"]["checkpoint_every"] = 4;
  ASSERT_EQ(workspace.train(config, {"--run-dir", "whole"}).exit_code, 0);
  config["training"]["max_steps"] = 4;
  ASSERT_EQ(workspace.train(config, {"--run-dir", "parts"}).exit_code, 0);
  config["training"]["max_steps"] = 8;
  const auto resumed = workspace.train(config, {"--run-dir", "parts"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const std::string file = "/checkpoints/step-00000008/model.safetensors";
  EXPECT_TRUE(workspace.read("parts" + file) == workspace.read("whole" + file));
  config["model"]["decoder"] = "transformer";
  const auto other = workspace.train(config, {"--run-dir", "parts"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("model.decoder"));
  EXPECT_THAT(workspace.read("parts/checkpoints/step-00000008/README.md"), HasSubstr("decoder layers (SSRU)"));
}

}  // namespace
}  // namespace translate

// A model whose decoder has recurrent units (model.decoder "ssru"), from training to translations.
#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

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
  static const Workspace workspace;
  static const bool done = [] {
    workspace.write_corpus();
    auto config = recurrent_config();
    config["model"]["dropout"] = 0.0;
    config["training"].update(
        {{"max_steps", 150}, {"validate_every", 75}, {"checkpoint_every", 75}, {"log_every", 50}});
    const auto result = workspace.train(config);
    if (result.exit_code != 0) {
      throw std::runtime_error("the shared model cannot be trained: " + result.err);
    }
    return true;
  }();
  (void)done;
  return workspace;
}

/// The lines without their scores, whose last digit may be rounded otherwise.
std::vector<std::string> texts_found(const ProcessResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  auto lines = split_lines(result.out);
  for (auto& line : lines) {
    line = line.substr(0, line.rfind(" ||| "));
  }
  return lines;
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

TEST_F(RecurrentDecoder, TheScoresOfASearchAreThoseOfScoring) {
  const auto found = trained_recurrent().infer({"--json", "--precision", "fp32", "--beam-size", "3"}, text_);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const auto translations = split_lines(found.out);
  Workspace workspace;
  std::vector<std::string> targets;
  for (const auto& line : translations) {
    targets.push_back(Json::parse(line)["translation"]);
  }
  workspace.write("target", join_lines(targets));
  workspace.write("source", text_);
  const auto scored =
      trained_recurrent().infer({"--score", "--json", "--precision", "fp32", "--input", (workspace / "source").string(),
                                 "--target", (workspace / "target").string()});
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  const auto scores = split_lines(scored.out);
  ASSERT_EQ(scores.size(), translations.size());
  std::size_t same = 0;  // of a text that is cut into subwords in another way, the score is another
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double difference =
        Json::parse(scores[i])["score"].get<double>() - Json::parse(translations[i])["score"].get<double>();
    same += std::abs(difference) < 1e-3 ? 1 : 0;
  }
  EXPECT_GE(same, scores.size() / 2);
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

TEST_F(RecurrentDecoder, IsNotExportedToSystemsWithoutIt) {
  const auto& workspace = trained_recurrent();
  for (const auto& [format, output] :
       {std::pair("ctranslate2", "out"), std::pair("huggingface", "out"), std::pair("argos", "out.argosmodel")}) {
    const auto result = workspace.run("translate-export", {"--format", format, "latest", output});
    EXPECT_EQ(result.exit_code, 2) << format;
    EXPECT_THAT(result.err, HasSubstr("cannot hold this model: its decoder has recurrent units")) << format;
    EXPECT_FALSE(workspace.holds(output));
  }
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

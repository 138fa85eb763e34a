// translate-explain --explain, --example, --attention and --learn: what happens between a line and its translation.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Characters of a line of UTF-8.
std::size_t characters(const std::string& line) {
  std::size_t count = 0;
  for (const char byte : line) {
    count += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
  }
  return count;
}

class Explain : public ::testing::Test {
 protected:
  [[nodiscard]] static std::string sentence() { return small_corpus().source[0]; }
  [[nodiscard]] static std::string translation() {
    return split_lines(trained().infer({"--beam-size", "1", sentence()}).out).front();
  }

  Workspace workspace_;
};

TEST_F(Explain, WalksFromTextToText) {
  const auto result = trained().explain({sentence()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"" + sentence() + "\" -> \"" + translation() + "\"\n"));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("Source subwords (S = "), HasSubstr("encoder.layers.0.self_attention_block"),
                    HasSubstr("softmax: rows sum to 1"), HasSubstr("Target mask"), HasSubstr("■ · "),
                    ContainsRegex("step 1: read [^\n]+, generated "), ContainsRegex("looked at [^\n]+ 0\\.[0-9]"),
                    HasSubstr("ended by eos; total log-probability -"), HasSubstr("Dimensions, step by step")));
  for (const auto& line : split_lines(result.out)) {
    EXPECT_LE(characters(line), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

/// A configuration as small as can be, and tokenizers trained on a corpus of the workspace.
class RandomWeights : public ProgramTest {
 protected:
  RandomWeights() {
    workspace_.write("small.json", R"({"tokenizer": {"vocab_size": 200},
      "model": {"d_model": 200, "num_heads": 4, "num_layers": 2, "d_ff": 800}, "decoding": {"max_length": 10}})");
  }

  /// Twenty sentences of one to eight words.
  [[nodiscard]] static std::string twenty_sentences() {
    std::string lines;
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t word = 0; word <= i % 8; ++word) {
        lines += word == 0 ? "the" : " the";
      }
      lines += "\n";
    }
    return lines;
  }
};

TEST_F(RandomWeights, ShowAWalkBeforeAnyTraining) {
  const auto result = workspace_.explain({"--config", "small.json", "The cat sat"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("a model of random weights (training.seed 1)"), HasSubstr("of the example corpus in ")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 layers, d_model 200, 4 heads of 50"),
                                HasSubstr("  The target mask grows by a row and a column at each step:\n"
                                          "  step 1, 1 x 1\n    ■\n"
                                          "  step 2, 2 x 2\n    ■ ·\n    ■ ■\n"
                                          "  step 3, 3 x 3\n    ■ · ·\n    ■ ■ ·\n    ■ ■ ■\n")));
  EXPECT_EQ(workspace_.explain({"--config", "small.json", "The cat sat"}).out, result.out);
  auto config = Json::parse(workspace_.read("small.json"));
  config["training"]["seed"] = 2;
  workspace_.write("other.json", config.dump());
  EXPECT_NE(workspace_.explain({"--config", "other.json", "The cat sat"}).out, result.out);
}

TEST_F(RandomWeights, AreThoseOfATrainingBeforeItsFirstStep) {
  auto config = tiny_config();
  config["training"].update(
      {{"max_steps", 1}, {"schedule", "constant"}, {"warmup_steps", 0}, {"learning_rate", 1e-30}});
  ASSERT_EQ(workspace_.train(config).exit_code, 0);
  const Arguments asked = {"--score", "--json", "--target", "held.fr", "--input", "held.en", "--precision", "fp32"};
  const auto with = [&](Arguments arguments) {
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    return workspace_.explain(arguments);
  };
  const auto trained = with({});
  const auto random =
      with({"--random-weights", "--config", "tiny.json", "--tokenizers", "runs/tiny/tokenizers/source.spm"});
  ASSERT_EQ(random.exit_code, 0) << random.err;
  const auto scores = split_lines(random.out);
  const auto expected = split_lines(trained.out);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(Json::parse(scores[i])["score"], Json::parse(expected[i])["score"], 1e-4);
  }
}

TEST_F(RandomWeights, SeveralSentencesAtOnceArePadded) {
  const Arguments arguments = {"--together", "--config", "small.json"};
  auto as_json = arguments;
  as_json.emplace_back("--json");
  const auto result = workspace_.explain(as_json, twenty_sentences());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(split_lines(result.out).size(), 1U);
  const auto json = Json::parse(result.out);
  EXPECT_EQ(json["sentences"].size(), 20U);
  std::map<std::string, Json> stages;
  for (const auto& stage : json["stages"]) {
    stages[stage["name"]] = stage;
  }
  // Sources of one to eight words, sos and eos: 3 to 10 subwords. Targets: sos and at most nine subwords before the
  // last.
  const std::string self = "encoder.layers.0.self_attention_block.";
  const std::string cross = "decoder.layers.0.cross_attention_block.";
  const std::vector<std::pair<std::string, std::vector<int>>> shapes = {
      {"src_mask", {20, 1, 1, 10}},        {"tgt_mask", {20, 1, 10, 10}},
      {"src_embed", {20, 10, 200}},        {"src_pos.output", {20, 10, 200}},
      {self + "query", {20, 4, 10, 50}},   {self + "scores", {20, 4, 10, 10}},
      {self + "weights", {20, 4, 10, 10}}, {self + "joined", {20, 10, 200}},
      {self + "output", {20, 10, 200}},    {"encoder.layers.0.feed_forward_block.inner", {20, 10, 800}},
      {"encoder.output", {20, 10, 200}},   {cross + "weights", {20, 4, 10, 10}},
      {"decoder.output", {20, 10, 200}}};
  for (const auto& [name, shape] : shapes) {
    ASSERT_TRUE(stages.contains(name)) << name;
    EXPECT_EQ(stages[name]["shape"], Json(shape)) << name;
  }
  for (std::size_t i = 0; i < 20; ++i) {
    const auto& mask = stages["src_mask"]["values"][i][0][0];
    for (std::size_t position = 0; position < 10; ++position) {
      EXPECT_EQ(mask[position].get<double>(), position < i % 8 + 3 ? 1.0 : 0.0) << i << " " << position;
    }
  }
  const auto text = workspace_.explain(arguments, twenty_sentences());
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("A batch of 20 sentences"), HasSubstr("Source ids (20, 10)"),
                              HasSubstr("Source mask (20, 1, 1, 10)"), HasSubstr("    ■ ■ ■ · · · · · · ·\n"),
                              HasSubstr("the logits are flattened to (200, ")));
  for (const auto& line : split_lines(text.out)) {
    EXPECT_LE(characters(line), 80U) << line;
  }
  EXPECT_THAT(workspace_.explain(arguments, "\n").out, HasSubstr("There is no sentence"));
}

TEST_F(RandomWeights, WithoutPositionsTheOrderOfTheSourceDoesNotMatter) {
  const auto scores = [&](const std::string& config) {
    const auto result = workspace_.explain({"--score", "--random-weights", "--config", config, "--precision", "fp32"},
                                           "The cat sat\tLe chat\nsat The cat\tLe chat\n");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto lines = split_lines(result.out);
    return std::pair(std::stod(lines.at(0)), std::stod(lines.at(1)));
  };
  workspace_.write("no_positions.json", R"({"tokenizer": {"type": "word", "vocab_size": 400},
    "model": {"d_model": 32, "num_heads": 4, "num_layers": 2, "d_ff": 64, "positions": "none"}})");
  const auto [straight, permuted] = scores("no_positions.json");
  EXPECT_NEAR(straight, permuted, 1e-3);
  const auto [with, without] = scores("small.json");
  EXPECT_GT(std::abs(with - without), 1e-3);
}

TEST_F(RandomWeights, NeedAConfigurationAndNoCheckpoint) {
  EXPECT_EQ(workspace_.explain({"--random-weights", "a"}).exit_code, 2);
  EXPECT_EQ(workspace_.explain({"--random-weights", "--config", "small.json", "--checkpoint", "x", "a"}).exit_code, 2);
  EXPECT_EQ(workspace_.explain({"--random-weights", "--config", "small.json", "--learn", "x.html", "--json"}).exit_code,
            2);
  const auto none = workspace_.explain({"--config", "none.json", "a"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no configuration file \"none.json\""));
}

TEST_F(Explain, OneLayerInFull) {
  const auto plain = trained().explain({sentence()});
  const auto result = trained().explain({"--layer", "0", sentence()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(plain.out, Not(HasSubstr("Attention in percent")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("Attention in percent"), HasSubstr("cross_attention_block, head 0")));
  const auto beyond = trained().explain({"--layer", "99", sentence()});
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("--layer 99: the model has"));
}

TEST_F(Explain, JsonForPrograms) {
  const auto result = trained().explain({"--json", sentence(), ""});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 2U);
  const auto object = Json::parse(lines[0]);
  EXPECT_EQ(object["source"], sentence());
  EXPECT_EQ(object["translation"], translation());
  ASSERT_EQ(object["parts"].size(), 1U);
  const auto& part = object["parts"][0];
  const auto source = part["source_pieces"].size();
  ASSERT_EQ(part["steps"].size(), part["target_pieces"].size());
  for (std::size_t t = 0; t < part["steps"].size(); ++t) {
    const auto& step = part["steps"][t];
    EXPECT_EQ(step["likeliest"][0]["piece"], step["said"]);
    EXPECT_EQ(step["cross_attention"].size(), source);
    EXPECT_EQ(step["shapes"]["self_attention"][2], t + 1);
  }
  bool whole_weights = false;
  for (const auto& stage : part["stages"]) {
    if (stage["name"] == "encoder.layers.0.self_attention_block.weights") {
      whole_weights = stage["values"][0][0].size() == source;
    }
  }
  EXPECT_TRUE(whole_weights);
  EXPECT_TRUE(Json::parse(lines[1])["parts"].empty());
}

TEST_F(Explain, ALongLineIsExplainedPartByPart) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += sentence() + ". ";
  }
  const auto result = trained().explain({text});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("== Part 1 of "), HasSubstr("== Part 2 of ")));
}

TEST_F(Explain, AnExampleNeedsNoModel) {
  const auto examples = project_folder() / "docs/examples";
  const auto run = [&](const std::string& name, const Arguments& more = {}) {
    Arguments arguments = {"--example", (examples / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace_.explain(arguments);
  };
  const auto right = run("self-attention.json");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_THAT(right.out, AllOf(HasSubstr("  0.9644  0.0003  0.0177  0.0177\n"), HasSubstr("Every claim holds")));
  EXPECT_THAT(run("slips/mask-after-softmax.json").out, HasSubstr("differs from its claim: weights"));
  EXPECT_EQ(Json::parse(run("slips/mask-after-softmax.json", {"--json"}).out)["departs"], "weights");

  EXPECT_THAT(run("encoder-block-pre-norm.json").out,
              AllOf(HasSubstr("residual_connections.1.norm (3, 4): layer norm of"), HasSubstr("Every claim holds")));

  workspace_.write("wrong.json", "{\n  \"Q\": [[1, 2],\n        [3]]\n}\n");
  const auto wrong = workspace_.explain({"--example", "wrong.json"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.json:3:9: Q[1]: expected 2 numbers as in the first row, got 1"));
  EXPECT_EQ(workspace_.explain({"--example", "none.json"}).exit_code, 2);
  EXPECT_THAT(workspace_.explain({"--explain", "--example", "wrong.json"}).err, HasSubstr("wrong.json:3:9"));
  const auto text = workspace_.explain({"--example", "wrong.json", "The cat sat"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, HasSubstr("TEXT has no meaning with --example"));
}

TEST_F(Explain, AttentionPageBesidesTheTranslation) {
  const auto page = workspace_ / "page.html";
  const auto result = trained().explain({"--attention", page.string(), sentence(), "", small_corpus().source[1]});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(split_lines(result.out).size(), 3U);
  EXPECT_EQ(split_lines(result.out).front(), translation());
  EXPECT_THAT(result.err, HasSubstr("page.html: open it in a browser"));
  const auto html = workspace_.read("page.html");
  EXPECT_THAT(html, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("\"source\":\"" + sentence() + "\"")));
  EXPECT_THAT(html, Not(HasSubstr("ATTENTION_DATA")));
  // A page is there to be passed on: the model's name, but no folder of this machine.
  EXPECT_THAT(html, AllOf(HasSubstr("\"title\":\"tiny/step-00000150\""), Not(HasSubstr(trained().path().string()))));

  workspace_.write("in.en", sentence() + "\n");
  for (const std::string option : {"--input", "--output"}) {
    Arguments same = {"--attention", (workspace_ / "in.en").string(), option, (workspace_ / "in.en").string()};
    if (option == "--output") {
      same.push_back(sentence());
    }
    const auto refused = trained().explain(same);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("--attention and " + option + " name the same file"));
    EXPECT_EQ(workspace_.read("in.en"), sentence() + "\n");
  }
  const auto device = trained().explain({"--attention", "/dev/null", sentence()});
  EXPECT_EQ(device.exit_code, 1);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  std::filesystem::create_symlink(page, workspace_ / "link.html");
  EXPECT_EQ(trained().explain({"--attention", (workspace_ / "link.html").string(), sentence()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(workspace_ / "link.html"));

  const auto nowhere = trained().explain({"--attention", "no/such/folder/page.html", sentence()});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_EQ(nowhere.out, "");
  EXPECT_THAT(nowhere.err, HasSubstr("no such folder"));
}

TEST_F(Explain, LearnWritesAPageInPlaceOfTranslations) {
  const auto page = workspace_ / "learn.html";
  const auto result = trained().explain({"--learn", page.string(), "--max-length", "9", sentence(), "The end"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("learn.html: open it in a browser"));
  const auto html = workspace_.read("learn.html");
  EXPECT_THAT(html, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("\"sentences\":[\"" + sentence() + "\",\"The end\"]"),
                          HasSubstr("\"max_length\":9"), HasSubstr("\"encoder.norm.alpha\""),
                          HasSubstr("class MultiHeadAttentionBlock")));
  // A page is there to be passed on: the model's name, but no folder of this machine.
  EXPECT_THAT(html, AllOf(HasSubstr("\"title\":\"tiny/step-00000150\""), Not(HasSubstr(trained().path().string()))));

  for (const std::string option : {"--explain", "--beam-size=4", "--sampling", "--min-length=3", "--precision=bf16"}) {
    const auto refused = trained().explain({"--learn", page.string(), option, sentence()});
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_THAT(refused.err, HasSubstr(option.substr(0, option.find('=')) + " has no meaning with --learn"));
  }
  EXPECT_EQ(trained().explain({"--learn", page.string(), "--greedy", sentence()}).exit_code, 0);
  const auto nowhere = trained().explain({"--learn", "no/such/folder/page.html"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("no such folder"));
  const auto several = trained().explain({"--learn", page.string(), "--checkpoint", "latest,latest"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err, HasSubstr("--learn makes a page of one model"));
}

TEST_F(RandomWeights, MakeAPageToExperimentWith) {
  const auto result = workspace_.explain({"--learn", "learn.html", "--config", "small.json", "The cat sat"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a model of random weights (training.seed 1)"));
  EXPECT_THAT(workspace_.read("learn.html"), HasSubstr("\"d_model\":200"));
  const auto large = workspace_.explain({"--learn", "large.html", "--config", "transformer-base.json"});
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.err, HasSubstr("--learn: the model has 44"));  // its layers alone
}

}  // namespace
}  // namespace translate

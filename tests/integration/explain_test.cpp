// translate-infer --explain, --example and --attention: what happens between a line and its translation.
#include <gmock/gmock.h>

#include <filesystem>

#include "integration/workspace.h"

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
  const auto result = trained().infer({"--explain", sentence()});
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

TEST_F(Explain, OneLayerInFull) {
  const auto plain = trained().infer({"--explain", sentence()});
  const auto result = trained().infer({"--explain", "--layer", "0", sentence()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(plain.out, Not(HasSubstr("Attention in percent")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("Attention in percent"), HasSubstr("cross_attention_block, head 0")));
  const auto beyond = trained().infer({"--explain", "--layer", "99", sentence()});
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("--layer 99: the model has"));
}

TEST_F(Explain, JsonForPrograms) {
  const auto result = trained().infer({"--explain", "--json", sentence(), ""});
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
  const auto result = trained().infer({"--explain", text});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("== Part 1 of "), HasSubstr("== Part 2 of ")));
}

TEST_F(Explain, AnExampleNeedsNoModel) {
  const auto examples = std::filesystem::path(TRANSLATE_SOURCE_DIR) / "docs/examples";
  const auto run = [&](const std::string& name, const Arguments& more = {}) {
    Arguments arguments = {"--explain", "--example", (examples / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace_.infer(arguments);
  };
  const auto right = run("self-attention.json");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_THAT(right.out, AllOf(HasSubstr("  0.9644  0.0003  0.0177  0.0177\n"), HasSubstr("Every claim holds")));
  EXPECT_THAT(run("slips/mask-after-softmax.json").out, HasSubstr("differs from its claim: weights"));
  EXPECT_EQ(Json::parse(run("slips/mask-after-softmax.json", {"--json"}).out)["departs"], "weights");

  EXPECT_THAT(run("encoder-block-pre-norm.json").out,
              AllOf(HasSubstr("residual_connections.1.norm (3, 4): layer norm of"), HasSubstr("Every claim holds")));

  workspace_.write("wrong.json", "{\n  \"Q\": [[1, 2],\n        [3]]\n}\n");
  const auto wrong = workspace_.infer({"--explain", "--example", "wrong.json"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.json:3:9: `Q[1]`: expected 2 numbers as in the first row, got 1"));
  EXPECT_EQ(workspace_.infer({"--explain", "--example", "none.json"}).exit_code, 2);
  EXPECT_EQ(workspace_.infer({"--example", "wrong.json"}).exit_code, 2);  // --example needs --explain
}

TEST_F(Explain, AttentionPageBesidesTheTranslation) {
  const auto page = workspace_ / "page.html";
  const auto result = trained().infer({"--attention", page.string(), sentence(), "", small_corpus().source[1]});
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
    const auto refused = trained().infer(same);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("--attention and " + option + " name the same file"));
    EXPECT_EQ(workspace_.read("in.en"), sentence() + "\n");
  }
  const auto device = trained().infer({"--attention", "/dev/null", sentence()});
  EXPECT_EQ(device.exit_code, 1);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  std::filesystem::create_symlink(page, workspace_ / "link.html");
  EXPECT_EQ(trained().infer({"--attention", (workspace_ / "link.html").string(), sentence()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(workspace_ / "link.html"));

  const auto nowhere = trained().infer({"--attention", "no/such/folder/page.html", sentence()});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_EQ(nowhere.out, "");
  EXPECT_THAT(nowhere.err, HasSubstr("no such folder"));
}

}  // namespace
}  // namespace translate

// Training text that is odd but usable: what is left out is counted, what is the same text gives the same model.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OddData : public ProgramTest {
 protected:
  static Json short_run() {
    auto config = tiny_config();
    config["training"]["max_steps"] = 4;
    return config;
  }
  /// The weights after a short training on the workspace's files.
  std::string weights_of(const Json& config, const std::string& run) {
    const auto result = workspace_.train(config, {"--run-dir", run, "--quiet"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return workspace_.read(run + "/checkpoints/step-00000004/model.safetensors");
  }
};

TEST_F(OddData, BlankPairsAreLeftOutAndCountedOnce) {
  auto pairs = small_corpus();
  pairs.source[3] = "";
  pairs.target[7] = " \t ";
  pairs.source[8] = "\xC2\xA0";  // a no-break space
  workspace_.write("train.en", join_lines(pairs.source));
  workspace_.write("train.fr", join_lines(pairs.target));
  const auto result = workspace_.train(short_run());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("3 training pairs left out"), HasSubstr("train.en:4"), HasSubstr("57 training pairs")));
  EXPECT_EQ(count_of(result.err, "left out"), 1U);
}

TEST_F(OddData, PairsTooLongAreLeftOutAndCountedButNeverInValidationOrTest) {
  auto config = short_run();
  config["data"]["max_length"] = 15;
  const std::string longer = "le chat le chat le chat le chat le chat le chat le chat le chat le chat le chat";
  for (const auto* name : {"train", "held"}) {
    auto target = split_lines(workspace_.read(std::string(name) + ".fr"));
    target[1] = longer;
    workspace_.write(std::string(name) + ".fr", join_lines(target));
  }
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("1 training pair left out"), HasSubstr("15 subwords"),
                                HasSubstr("59 training pairs"), HasSubstr("6 validation pairs")));
  EXPECT_EQ(count_of(result.err, "left out"), 1U);

  const auto evaluation = workspace_.evaluate({"--json"});
  EXPECT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_EQ(Json::parse(evaluation.out)["sentences"], 6);
}

TEST_F(OddData, NothingLeftToTrainOnIsAnError) {
  auto config = short_run();
  config["data"]["max_length"] = 1;
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no pair is left to train on"), HasSubstr("data.max_length 1")));
}

TEST_F(OddData, CrLfByteOrderMarkAndNoLastNewlineGiveTheSameModel) {
  const auto clean = weights_of(short_run(), "clean");
  auto source = workspace_.read("train.en");
  std::string with_returns = "\xEF\xBB\xBF";
  for (const char c : source) {
    with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  workspace_.write("train.en", with_returns);
  auto target = workspace_.read("train.fr");
  target.pop_back();
  workspace_.write("train.fr", "\xEF\xBB\xBF" + target);
  EXPECT_EQ(weights_of(short_run(), "odd"), clean);
}

TEST_F(OddData, SeveralFilesAndGzipGiveTheModelOfOnePlainFile) {
  const auto plain = weights_of(short_run(), "plain");
  const auto pairs = small_corpus();
  const auto write_part = [&](const std::string& name, std::size_t begin, std::size_t end, bool packed) {
    const auto part = [&](const std::vector<std::string>& lines) {
      const auto text = join_lines(
          {lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(end)});
      return packed ? gzip(text) : text;
    };
    workspace_.write(name + ".en", part(pairs.source));
    workspace_.write(name + ".fr", part(pairs.target));
  };
  write_part("first", 0, 25, /*packed=*/true);
  write_part("second", 25, 60, /*packed=*/false);
  auto config = short_run();
  config["data"]["train"] = {{{"source", "first.en"}, {"target", "first.fr"}},
                             {{"source", "second.en"}, {"target", "second.fr"}}};
  EXPECT_EQ(weights_of(config, "parts"), plain);
}

TEST_F(OddData, ValidationByFractionIsDrawnOnceFromTheSeed) {
  auto config = short_run();
  config["data"]["validation"] = {{"fraction", 0.2}};
  const auto result = workspace_.train(config);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("48 training pairs"), HasSubstr("12 validation pairs")));
  const auto first = workspace_.evaluate({"--split", "validation", "--json", "--output", "a.txt"});
  EXPECT_EQ(Json::parse(first.out)["sentences"], 12);

  // Another seed holds out other pairs; the model's own seed draws the same ones each time.
  const auto loss_at_start = [&](const std::string& run) { return workspace_.metrics(run).front()["loss"]; };
  config["training"]["max_steps"] = 1;
  ASSERT_EQ(workspace_.train(config, {"--run-dir", "same"}).exit_code, 0);
  EXPECT_EQ(loss_at_start("same"), loss_at_start("runs/tiny"));
}

TEST_F(OddData, CharactersTheVocabularyLacksAreUnknownSubwordsOrBytes) {
  auto config = short_run();
  workspace_.write("held.en", "the cat sees 語 .\nthe dog eats ☃ .\n");
  workspace_.write("held.fr", "le chat voit 語 .\nle chien mange ☃ .\n");
  const auto unknown = workspace_.train(config);
  EXPECT_EQ(unknown.exit_code, 0) << unknown.err;
  config["tokenizer"]["byte_fallback"] = true;
  config["tokenizer"]["vocab_size"] = 320;
  const auto bytes = workspace_.train(config, {"--run-dir", "bytes"});
  EXPECT_EQ(bytes.exit_code, 0) << bytes.err;
  const auto subwords = [&](const std::string& run) {
    const auto result = workspace_.infer({"--run-dir", run, "--json", "語 ☃"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("<unk>")));
    return Json::parse(result.out)["translation"];
  };
  EXPECT_TRUE(subwords("runs/tiny").is_string());
  EXPECT_TRUE(subwords("bytes").is_string());
}

}  // namespace
}  // namespace translate

// Configurations: how they are found, what is wrong with them, --set, --print-config, --check.
#include <gmock/gmock.h>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Configuration : public ProgramTest {
 protected:
  [[nodiscard]] ProcessResult print(const Arguments& arguments) const {
    Arguments all = {"--print-config"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return workspace_.run("translate-train", all);
  }
};

TEST_F(Configuration, AnUnknownKeyIsNamedWithItsPlaceAndTheNearestOne) {
  workspace_.write("odd.json",
                   "{\n  \"data\": {\"train\": {\"source\": \"train.en\", \"target\": \"train.fr\"}},\n"
                   "  \"training\": {\n    \"label_smothing\": 0.2\n  }\n}\n");
  const auto result = workspace_.run("translate-train", {"--config", "odd.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("odd.json:4:5: "), HasSubstr("training.label_smothing"),
                                HasSubstr("did you mean `label_smoothing`?")));
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(Configuration, AKeyGivenTwiceAWrongTypeAndARangeAreErrorsWithTheirPlace) {
  const std::string data = "\"data\": {\"train\": {\"source\": \"train.en\", \"target\": \"train.fr\"}}";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"{" + data + ",\n\"model\": {\"d_model\": 16,\n\"d_model\": 32}}", {"odd.json:3:1: ", "model.d_model", "twice"}},
      {"{" + data + ",\n\"model\": {\"d_model\": \"wide\"}}", {"odd.json:2:", "model.d_model", "\"wide\""}},
      {"{" + data + ",\n\"model\": {\"dropout\": 1.5}}", {"odd.json:2:", "model.dropout", "1.5"}},
      {"{" + data + ",\n\"training\": {\"max_steps\": 1.7}}", {"odd.json:2:", "training.max_steps", "1.7"}},
      {"{" + data + "\n", {"odd.json:"}}};
  for (const auto& [text, parts] : cases) {
    workspace_.write("odd.json", text);
    const auto result = workspace_.run("translate-train", {"--config", "odd.json", "--print-config"});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_EQ(result.out, "");
    for (const auto& part : parts) {
      EXPECT_THAT(result.err, HasSubstr(part)) << text;
    }
  }
}

TEST_F(Configuration, EverythingWrongIsToldAtOnce) {
  workspace_.write("odd.json",
                   "{\n  \"data\": {\"train\": {\"source\": \"train.en\", \"target\": \"train.fr\"}},\n"
                   "  \"model\": {\"d_model\": 100, \"num_heads\": 3},\n"
                   "  \"training\": {\n    \"label_smothing\": 0.2,\n    \"seed\": \"one\"\n  }\n}\n");
  const auto result = workspace_.run("translate-train", {"--config", "odd.json", "--set", "model.dropout=2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("4 errors in the configuration:\n"),
                                HasSubstr("\nodd.json:5:5: training.label_smothing: unknown key; did you mean"),
                                HasSubstr("\nodd.json:6:13: training.seed: expected an integer"),
                                HasSubstr("\n--set: model.dropout: expected a number from 0 to 1"),
                                HasSubstr("\nodd.json:3:42: model.num_heads: d_model must be a multiple of it")));
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(Configuration, PrintedIsJsonThatReadsBackEqual) {
  workspace_.write("tiny.json", tiny_config().dump());
  const auto first = print({"--config", "tiny.json"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(Json::parse(first.out)["model"]["d_model"], 16);
  workspace_.write("elsewhere/again.json", first.out);
  const auto second = print({"--config", "elsewhere/again.json"});
  EXPECT_EQ(second.out, first.out);
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(Configuration, SetReplacesValues) {
  workspace_.write("tiny.json", tiny_config().dump());
  const auto result = print({"--config", "tiny.json", "--set", "training.max_steps=77", "--set", "model.dropout=0.25",
                             "--set", "tokenizer.type=char", "--set", "data.train.source=other/train.en"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto config = Json::parse(result.out);
  EXPECT_EQ(config["training"]["max_steps"], 77);
  EXPECT_EQ(config["model"]["dropout"], 0.25);
  EXPECT_EQ(config["tokenizer"]["type"], "char");

  const auto wrong = print({"--config", "tiny.json", "--set", "training.max_step=77"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("--set"), HasSubstr("training.max_step"), HasSubstr("max_steps")));
}

TEST_F(Configuration, PathsAreRelativeToTheFile) {
  auto config = tiny_config();
  config["data"]["train"]["source"] = "../train.en";
  workspace_.write("configs/near.json", config.dump());
  const auto printed = Json::parse(print({"--config", "configs/near.json"}).out);
  EXPECT_THAT(printed["data"]["train"].dump(), AllOf(HasSubstr((workspace_ / "train.en").string()),
                                                     HasSubstr((workspace_ / "configs/train.fr").string())));
  EXPECT_EQ(printed["run_dir"], (workspace_ / "runs/near").string());
}

TEST_F(Configuration, ABareNameIsLookedForInConfigs) {
  auto config = tiny_config();
  workspace_.write("configs/named.json", config.dump());
  EXPECT_EQ(Json::parse(print({"--config", "named.json"}).out)["training"]["max_steps"], 8);
  config["training"]["max_steps"] = 9;  // the one given as it is comes first
  workspace_.write("named.json", config.dump());
  EXPECT_EQ(Json::parse(print({"--config", "named.json"}).out)["training"]["max_steps"], 9);

  const auto missing = print({"--config", "nmaed.json"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("configs/nmaed.json"), HasSubstr("did you mean `named.json`?")));
}

TEST_F(Configuration, CheckShowsSizesAndTrainsNothing) {
  workspace_.write("tiny.json", tiny_config().dump());
  const auto result = workspace_.run("translate-train", {"--config", "tiny.json", "--check"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("60"), ContainsRegex("parameters +[0-9,]+"),
                                ContainsRegex("    self_attention_block +[0-9,]+"), ContainsRegex("[0-9]+ steps")));
  EXPECT_THAT(result.out,
              AllOf(ContainsRegex("work +[0-9.e-]+ million multiply-adds a source token"),
                    ContainsRegex("memory +[0-9.]+ MiB of weights, [0-9.]+ MiB of the optimizer's moments"),
                    ContainsRegex("[0-9.]+ MiB of activations and gradients at most"),
                    ContainsRegex("speed +about [1-9][0-9]* target tokens/s"), ContainsRegex("time +about [0-9]+ ")));
  for (const auto& line : split_lines(result.out)) {
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("run folder")) << line;
  }
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(Configuration, CheckFindsWrongData) {
  workspace_.write("tiny.json", tiny_config().dump());
  workspace_.write("train.fr", "une seule ligne\n");
  const auto result = workspace_.run("translate-train", {"--config", "tiny.json", "--check"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("train.fr has 1"));
}

TEST_F(Configuration, ThoseThatComeWithTheProjectAreRight) {
  const std::filesystem::path folder = project_folder() / "configs";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    ++count;
    const auto result = print({"--config", entry.path().string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(Json::accept(result.out));
  }
  EXPECT_GE(count, 2U);
}

TEST_F(Configuration, AnOptionAndSetMayNotContradictEachOther) {
  workspace_.write("tiny.json", tiny_config().dump(2));
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--seed", "5", "--set", "training.seed=4"}, "--seed 5 and --set training.seed=4 give training.seed two values"},
      {{"--set", "run_dir=one", "--run-dir", "two"}, "--run-dir two and --set run_dir=one give run_dir two values"},
      {{"--precision", "bf16", "--set", "training.precision=fp32"},
       "--precision bf16 and --set training.precision=fp32 give training.precision two values"}};
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.begin(), {"--config", "tiny.json"});
    const auto result = print(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  const auto same = print({"--config", "tiny.json", "--seed", "5", "--set", "training.seed=5"});
  EXPECT_EQ(Json::parse(same.out)["training"]["seed"], 5);
}

TEST_F(Configuration, AFolderWhoseNameIsNotUtf8IsNamed) {
  workspace_.write("tiny.json", tiny_config().dump(2));
  for (const Arguments& arguments : {Arguments{}, Arguments{"--check"}, Arguments{"--print-config"}}) {
    Arguments all = {"--config", "tiny.json", "--run-dir", "caf\xE9"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto result = workspace_.run("translate-train", all);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("run_dir: "), HasSubstr("caf\uFFFD is not valid UTF-8")));
  }
}

}  // namespace
}  // namespace translate

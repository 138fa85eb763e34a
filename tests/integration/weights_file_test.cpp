// Files of weights in place of a checkpoint: --checkpoint FILE --config FILE --tokenizers SOURCE,TARGET, and --init
// FILE.
#include <gmock/gmock.h>

#include <filesystem>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class WeightsOfAFile : public ProgramTest {
 protected:
  static std::string of_checkpoint(const std::string& file) {
    return (trained() / ("runs/tiny/checkpoints/step-00000150/" + file)).string();
  }
  static std::string golden(const std::string& file) {
    return (project_folder() / "tests/golden/pytorch" / file).string();
  }
  static Arguments model() {
    return {"--checkpoint", of_checkpoint("model.safetensors"),
            "--config",     of_checkpoint("config.json"),
            "--tokenizers", of_checkpoint("source.spm") + "," + of_checkpoint("target.spm")};
  }
  static Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// What a model with the checkpoint's tokenizers and another file of weights says on stderr.
  [[nodiscard]] ProcessResult infer_from(const std::string& weights) const {
    return workspace_.infer({"--checkpoint", weights, "--config", of_checkpoint("config.json"), "--tokenizers",
                             of_checkpoint("source.spm"), "a"});
  }
};

TEST_F(WeightsOfAFile, TranslatesAndEvaluatesAsTheCheckpointDoes) {
  const auto text = join_lines(small_corpus().source);
  const auto expected = trained().infer({}, text);
  const auto result = workspace_.infer(model(), text);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, expected.out);
  auto one_tokenizer = model();
  one_tokenizer.back() = of_checkpoint("source.spm");  // it is shared
  EXPECT_EQ(workspace_.infer(one_tokenizer, text).out, expected.out);

  const Arguments held = {"--source", "held.en", "--reference", "held.fr", "--json"};
  const auto evaluation = Json::parse(workspace_.evaluate(with(model(), held)).out);
  const auto of_run = Json::parse(trained().evaluate(held).out);
  EXPECT_EQ(evaluation["bleu"], of_run["bleu"]);
  EXPECT_FALSE(evaluation.contains("step") && evaluation["step"].is_number());
}

TEST_F(WeightsOfAFile, TheDefaultsAreTheReferences) {
  const auto result = workspace_.infer(
      {"--checkpoint", of_checkpoint("model.safetensors"), "--tokenizers", of_checkpoint("source.spm"), "a"});
  EXPECT_EQ(result.exit_code, 1);  // these are no weights of that size
  EXPECT_THAT(result.err, AllOf(HasSubstr("model.safetensors"), HasSubstr("sizes are those of the configuration"),
                                HasSubstr("has shape [32, 16], the model [2048, 512]"), HasSubstr("; and ")));
}

TEST_F(WeightsOfAFile, NeedsTokenizersThatFit) {
  const auto without = workspace_.infer({"--checkpoint", of_checkpoint("model.safetensors"), "a"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--tokenizers SOURCE,TARGET"));
  auto three = model();
  three.back() += "," + of_checkpoint("source.spm");
  EXPECT_EQ(workspace_.infer(with(three, {"a"})).exit_code, 2);
  auto missing = model();
  missing.back() = "gone.json";
  const auto gone = workspace_.infer(with(missing, {"a"}));
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_THAT(gone.err, HasSubstr("gone.json"));
}

TEST_F(WeightsOfAFile, FilesThatHoldNoneAreRefused) {
  workspace_.write("text.pt", "not weights at all\n");
  EXPECT_EQ(infer_from("text.pt").exit_code, 1);
  EXPECT_THAT(infer_from("text.pt").err, HasSubstr("text.pt"));

  const auto bytes = trained().read("runs/tiny/checkpoints/step-00000150/model.safetensors");
  workspace_.write("cut.safetensors", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(infer_from("cut.safetensors").exit_code, 1);

  const auto command = infer_from(golden("command.pt"));
  EXPECT_EQ(command.exit_code, 1);
  EXPECT_THAT(command.err, AllOf(HasSubstr("command.pt"), HasSubstr("torch.save(")));
  EXPECT_EQ(infer_from(golden("legacy.pt")).exit_code, 1);  // a part of a model
  EXPECT_EQ(infer_from(golden("whole_module.pt")).exit_code, 1);
  EXPECT_EQ(infer_from("gone.pt").exit_code, 2);
}

TEST_F(WeightsOfAFile, OtherSizesThanTheReferencesNeedAConfiguration) {
  const Arguments without_config{"--checkpoint", golden("state_dict.pt"), "--tokenizers",
                                 (workspace_ / "runs/tiny/tokenizers/source.spm").string(), "the cat"};
  ASSERT_EQ(workspace_.train(tiny_config()).exit_code, 0);
  const auto result = workspace_.infer(without_config);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("state_dict.pt"),
                                HasSubstr("Without --config the model has the reference's sizes: give those of these "
                                          "weights with --config FILE")));
}

TEST_F(WeightsOfAFile, InitListsWhatDoesNotFit) {
  auto config = tiny_config();
  config["model"]["tie_embeddings"] = "none";
  config["model"]["d_model"] = 8;  // as the file has it: what differs is the rest
  const auto result = workspace_.train(config, {"--init", golden("state_dict.pt")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("state_dict.pt"), HasSubstr("do not fit the model")));
  EXPECT_FALSE(workspace_.holds("runs/tiny/checkpoints"));
}

}  // namespace
}  // namespace translate

// Values and places that no one would choose on purpose: a clear error before anything is allocated or written, or they
// simply work.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OddValues : public ProgramTest {
 protected:
  void write_config(const Json& config = tiny_config()) const { workspace_.write("tiny.json", config.dump()); }

  [[nodiscard]] ProcessResult try_setting(const std::string& setting, const Arguments& more = {}) const {
    Arguments arguments = {"--config", "tiny.json", "--set", setting};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ProcessOptions options;
    options.memory_limit = std::uint64_t{8} << 30U;  // should an estimate be missing, the test fails and nothing else
    return workspace_.run("translate-train", arguments, options);
  }
};

TEST_F(OddValues, AFolderForTemporaryFilesThatIsMissingIsNamed) {
  write_config();
  for (const std::string check : {"--check", "--lint"}) {
    const auto result =
        workspace_.shell("TMPDIR=/nowhere/at/all $BIN/translate-train --config tiny.json " + check).wait();
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("/nowhere/at/all (TMPDIR)"), Not(HasSubstr("filesystem error"))));
  }
}

TEST_F(OddValues, SeedsAreFrom0Upwards) {
  write_config();
  for (const std::string seed : {"-1", "18446744073709551616", "1.5", "1e3", "x", " 1", "+1"}) {
    for (const std::string program : {"translate-train", "translate-eval", "translate-infer"}) {
      if (program == "translate-train" && seed != "-1") {
        continue;  // it takes longer to start; the check is the same
      }
      const auto result = workspace_.run(program, {"--seed=" + seed});
      EXPECT_EQ(result.exit_code, 2) << program << seed;
      EXPECT_THAT(result.err,
                  AllOf(HasSubstr("--seed: expected an integer from 0 to 18446744073709551615, got " + seed),
                        Not(HasSubstr("00000"))));
    }
  }
  const auto largest =
      workspace_.run("translate-train", {"--config", "tiny.json", "--print-config", "--seed", "18446744073709551615"});
  EXPECT_EQ(largest.exit_code, 0) << largest.err;
  EXPECT_THAT(largest.out, HasSubstr("\"seed\": 18446744073709551615"));
}

TEST_F(OddValues, ANumberOfManyDigitsDoesNotFillTheTerminal) {
  write_config();
  const std::string number(309, '9');
  for (const std::string option : {"--threads", "--seed", "--beam-size", "--temperature", "--length-penalty"}) {
    const auto result = workspace_.run("translate-infer", {option + "=" + number, "the cat sees a fish ."});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr(option), HasSubstr("(309 characters)")));
    EXPECT_LT(result.err.size(), 300U) << result.err;
  }
  const auto setting = try_setting("model.d_model=" + number);
  EXPECT_EQ(setting.exit_code, 2);
  EXPECT_THAT(setting.err,
              HasSubstr("expected an integer of at least 1, got 99999999999999999999... (309 characters)"));
}

TEST_F(OddValues, SizesThatNoMachineHoldsAreRefusedBeforeAnythingIsWritten) {
  write_config();
  for (const std::string setting :
       {"model.encoder_layers=1000000000", "model.decoder_layers=1000000000000000", "model.d_model=2000000000",
        "model.d_model=1000000000000000", "model.d_ff=1000000000000", "model.max_positions=100000000000000"}) {
    const auto result = try_setting(setting);
    EXPECT_EQ(result.exit_code, 2) << setting << result.err;
    const auto key = setting.substr(0, setting.find('='));
    EXPECT_THAT(result.err, AllOf(HasSubstr("does not fit in memory"), HasSubstr(key), HasSubstr("GiB at most")));
  }
  const auto check = try_setting("model.d_model=2000000000", {"--check"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.err, HasSubstr("model.d_model 2000000000"));
  EXPECT_FALSE(workspace_.holds("runs"));
}

TEST_F(OddValues, WeightsWithAHugeConfigurationAreRefused) {
  auto config = tiny_config();
  config["model"]["num_layers"] = 1000000000;
  write_config(config);
  const auto& run = trained();
  const auto checkpoint = (run / "runs/tiny/checkpoints/step-00000150").string();
  for (const std::string program : {"translate-infer", "translate-explain"}) {
    const Arguments arguments = {"--checkpoint",
                                 checkpoint + "/model.safetensors",
                                 "--config",
                                 "tiny.json",
                                 "--tokenizers",
                                 checkpoint + "/source.spm," + checkpoint + "/target.spm",
                                 "the cat sees a fish ."};
    const auto result = workspace_.run(program, arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("model.encoder_layers 1000000000"));
  }
}

TEST_F(OddValues, ATooSmallVocabularyIsToldTheLeastThatTheTextNeeds) {
  write_config();
  for (const std::string type : {"bpe", "unigram"}) {
    const auto setting = [&](std::int64_t size) {
      return try_setting("tokenizer.vocab_size=" + std::to_string(size),
                         {"--set", "tokenizer.type=" + type, "--run-dir", "runs/" + type, "--check"});
    };
    const auto result = setting(5);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    const std::string mark = "tokenizer.vocab_size is 5, but this text needs at least ";
    ASSERT_THAT(result.err, AllOf(HasSubstr(mark), Not(HasSubstr(".cc("))));
    const auto least = std::stoll(result.err.substr(result.err.find(mark) + mark.size()));
    EXPECT_EQ(setting(least - 1).exit_code, 2);
    EXPECT_EQ(setting(least).exit_code, 0);
  }
}

TEST_F(OddValues, FilesThatNeverEndAreRefused) {
  const auto& run = trained();
  const auto checkpoint = (run / "runs/tiny/checkpoints/step-00000150").string();
  const auto config = workspace_.run("translate-train", {"--config", "/dev/zero"});
  EXPECT_EQ(config.exit_code, 2);
  EXPECT_THAT(config.err, AllOf(HasSubstr("/dev/zero"), HasSubstr("64 MiB")));
  const auto tokenizers = workspace_.run("translate-infer", {"--checkpoint", checkpoint + "/model.safetensors",
                                                             "--tokenizers", "/dev/zero", "the cat sees a fish ."});
  EXPECT_EQ(tokenizers.exit_code, 2);
  EXPECT_THAT(tokenizers.err, AllOf(HasSubstr("/dev/zero"), HasSubstr("64 MiB")));
  const auto example = workspace_.run("translate-explain", {"--example", "/dev/zero"});
  EXPECT_EQ(example.exit_code, 2);
  EXPECT_THAT(example.err, AllOf(HasSubstr("/dev/zero"), HasSubstr("64 MiB")));
}

TEST_F(OddValues, PipesAreReadLikeFiles) {
  write_config();
  const auto plain = workspace_.shell("$BIN/translate-train --config tiny.json --print-config --run-dir r").wait().out;
  EXPECT_THAT(plain, HasSubstr("max_steps"));
  for (const std::string config : {"<(cat tiny.json)", "/dev/stdin"}) {
    const auto result =
        workspace_.shell("$BIN/translate-train --config " + config + " --print-config --run-dir r < tiny.json").wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("max_steps"));
  }
}

TEST_F(OddValues, RunsMayHaveAnyName) {
  for (const std::string run : {"a,b/r", "a run: with, all", "-dash", "line\nbreak"}) {
    const auto training = workspace_.train(tiny_config(), {"--run-dir=" + run});
    ASSERT_EQ(training.exit_code, 0) << training.err;
    const std::string text = "the cat sees a fish .";
    const auto expected = workspace_.infer({"--run-dir=" + run, text});
    ASSERT_EQ(expected.exit_code, 0) << expected.err;
    for (const std::string name : {"/latest", "/step-8", "/average:1", "/checkpoints/step-00000008"}) {
      const auto result = workspace_.infer({"--checkpoint=" + run + name, text});
      EXPECT_EQ(result.exit_code, 0) << run << name << result.err;
      EXPECT_EQ(result.out, expected.out);
    }
    const auto ensemble = workspace_.infer({"--checkpoint=" + run + "/step-8," + run + "/latest", text});
    EXPECT_EQ(ensemble.exit_code, 0) << ensemble.err;
    const auto folder = run + "/checkpoints/step-00000008/";
    const auto weights = workspace_.infer({"--checkpoint=" + folder + "model.safetensors", "--config",
                                           (workspace_ / run / "config.json").string(),
                                           "--tokenizers=" + folder + "source.spm," + folder + "target.spm", text});
    EXPECT_EQ(weights.exit_code, 0) << weights.err;
    EXPECT_EQ(weights.out, expected.out);
  }
}

TEST_F(OddValues, ANameThatIsNoTextIsRefusedBeforeAnythingIsWritten) {
  const auto result = workspace_.train(tiny_config(), {"--run-dir", "run-\xFF"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("UTF-8"));
  EXPECT_FALSE(workspace_.holds("run-\xFF"));
}

TEST_F(OddValues, HelpThatCannotBeWrittenIsAnError) {
  for (const std::string program : {"train", "eval", "infer", "serve"}) {
    for (const std::string option : {"--help", "--version"}) {
      const auto result = workspace_.shell("$BIN/translate-" + program + " " + option + " > /dev/full").wait();
      EXPECT_EQ(result.exit_code, 1) << program << option;
      EXPECT_THAT(result.err, HasSubstr("stdout: cannot be written: No space left"));
      const auto left =
          workspace_.shell("$BIN/translate-" + program + " " + option + " | head -n 1 > /dev/null").wait();
      EXPECT_EQ(left.err, "");
    }
  }
}

}  // namespace
}  // namespace translate

// Options and exit codes of all three programs.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Program {
  std::string name;
  std::vector<std::string> options;
};

const std::vector<std::string> kCommonOptions = {"--help",      "--version", "--device",   "--threads",
                                                 "--precision", "--quiet",   "--log-level"};

class EachProgram : public ::testing::TestWithParam<Program> {
 protected:
  [[nodiscard]] ProcessResult run(const Arguments& arguments) const {
    return Process(GetParam().name, arguments).wait();
  }
};

TEST_P(EachProgram, HelpNamesEveryOptionAndShowsAnExample) {
  const auto result = run({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  auto options = kCommonOptions;
  options.insert(options.end(), GetParam().options.begin(), GetParam().options.end());
  for (const auto& option : options) {
    EXPECT_THAT(result.out, ContainsRegex("\n +(-h,)?" + option)) << option;
  }
  EXPECT_THAT(result.out, AllOf(HasSubstr("Example"), HasSubstr("\n  " + GetParam().name + " ")));
}

TEST_P(EachProgram, VersionNamesWhatComputesOnStdout) {
  const auto result = run({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, ContainsRegex("^" + GetParam().name + " [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(result.out, ContainsRegex("\ninstructions: .+\nprecisions on the CPU: fp32, bf16"));
}

TEST_P(EachProgram, AnUnknownOptionIsTheUsersMistake) {
  const auto result = GetParam().name == "translate-train" ? run({"--config", "tiny.json", "--no-such-option"})
                                                           : run({"--no-such-option"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("--no-such-option"));
}

INSTANTIATE_TEST_SUITE_P(
    , EachProgram,
    ::testing::Values(Program{"translate-train",
                              {"--config", "--set", "--run-dir", "--resume", "--init", "--check", "--print-config",
                               "--seed"}},
                      Program{"translate-eval",
                              {"--checkpoint", "--run-dir", "--split", "--source", "--reference", "--hypotheses",
                               "--output", "--metrics", "--json", "--config", "--tokenizers"}},
                      Program{"translate-infer",
                              {"--checkpoint", "--run-dir", "--input", "--output", "--max-length", "--batch-tokens",
                               "--json", "--config", "--tokenizers", "--list"}},
                      Program{"translate-explain",
                              {"--checkpoint", "--run-dir", "--input", "--output", "--max-length", "--json", "--config",
                               "--tokenizers", "--explain", "--layer", "--together", "--example", "--attention",
                               "--learn", "--random-weights", "--explain-step", "--set", "--resume"}}),
    [](const auto& instance) { return instance.param.name.substr(instance.param.name.find('-') + 1); });

/// A command line that is wrong, and what stderr must name.
struct Mistake {
  std::string test;
  std::string program;
  Arguments arguments;
  std::string named;
};

class CommandLineMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(CommandLineMistake, EndsWithExitCode2) {
  const auto result = Process(GetParam().program, GetParam().arguments,
                              {.folder = trained().path(), .input = {}, .stdout_path = {}, .file_limit = {}})
                          .wait();
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().named));
}

INSTANTIATE_TEST_SUITE_P(
    , CommandLineMistake,
    ::testing::Values(
        Mistake{"NoConfig", "translate-train", {}, "--config"},
        Mistake{"ConfigMissing", "translate-train", {"--config", "gone.json"}, "gone.json"},
        Mistake{"SetWithoutValue", "translate-train", {"--config", "tiny.json", "--set", "seed"}, "KEY.PATH=VALUE"},
        Mistake{"UnknownDevice", "translate-infer", {"--device", "tpu", "a"}, "auto, cpu, cuda or cuda:N"},
        Mistake{"ZeroThreads", "translate-infer", {"--threads", "0", "a"}, "--threads"},
        Mistake{"UnknownPrecision", "translate-infer", {"--precision", "int4", "a"}, "--precision"},
        Mistake{"TextAndInput", "translate-infer", {"--input", "held.en", "a"}, "--input"},
        Mistake{"InputMissing", "translate-infer", {"--input", "gone.en"}, "gone.en"},
        Mistake{"NoSuchCheckpoint", "translate-infer", {"--checkpoint", "step-3", "a"}, "step-3"},
        Mistake{"NoSuchRun", "translate-infer", {"--run-dir", "gone", "a"}, "gone"},
        Mistake{"SourceWithoutReference", "translate-eval", {"--source", "held.en"}, "--reference"},
        Mistake{"ReferenceAlone", "translate-eval", {"--reference", "held.fr"}, "--source"},
        Mistake{"UnknownSplit", "translate-eval", {"--split", "train"}, "--split"},
        Mistake{"UnknownMetric", "translate-eval", {"--metrics", "bleu,meteor"}, "meteor"},
        Mistake{"BeamSize", "translate-infer", {"--beam-size", "0", "a"}, "--beam-size"},
        Mistake{"NBest", "translate-infer", {"--n-best", "0", "a"}, "--n-best"},
        Mistake{
            "CheckOfResume", "translate-train", {"--config", "tiny.json", "--check", "--resume", "best"}, "--resume"},
        Mistake{"ExampleAndText", "translate-explain", {"--explain", "--example", "e.json", "a"}, "TEXT"},
        Mistake{"SetWithoutAStep", "translate-explain", {"--set", "training.seed=2", "a"}, "--set has no meaning with"},
        Mistake{"ExplainOfInfer", "translate-infer", {"--explain", "a"}, "translate-explain --explain"},
        Mistake{"AttentionOfInfer", "translate-infer", {"--attention=a.html", "a"}, "translate-explain --attention"},
        Mistake{"LearnOfInfer", "translate-infer", {"--learn", "a.html"}, "translate-explain --learn"},
        Mistake{"ExampleOfInfer", "translate-infer", {"--example", "a.json"}, "translate-explain --example"},
        Mistake{"RandomWeightsOfInfer", "translate-infer", {"--random-weights"}, "translate-explain --random-weights"},
        Mistake{"StepOfTrain", "translate-train", {"--explain-step"}, "translate-explain --explain-step"},
        Mistake{"ConfigOfACheckpoint", "translate-infer", {"--config", "tiny.json", "a"}, "a checkpoint has its own"},
        Mistake{"TokenizersOfACheckpoint", "translate-eval", {"--tokenizers", "a.spm"}, "a checkpoint has its own"},
        Mistake{"UnknownOption", "translate-infer", {"--chekpoint", "best", "a"}, "did you mean --checkpoint?"},
        Mistake{"ListAndText", "translate-infer", {"--list", "a"}, "--list"},
        Mistake{"ListOfNoRun", "translate-infer", {"--list", "--run-dir", "gone"}, "--run-dir gone: no run is there"},
        Mistake{"AgainstNothing", "translate-eval", {"--against", "missing.fr"}, "cannot read missing.fr"}),
    [](const auto& instance) { return instance.param.test; });

TEST(CommandLine, WithoutAnyRunSaysHowToGetOne) {
  const Workspace empty;
  const auto result = empty.infer({"the cat"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("no run in"), HasSubstr("--run-dir"), HasSubstr("translate-train")));
}

TEST(CommandLine, AListOfNothingIsEmptyAndSaysHowToGetAModel) {
  const Workspace empty;
  const auto result = empty.infer({"--list"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("no run in"), HasSubstr("translate-train")));
}

TEST(CommandLine, QuietLeavesWarningsAlone) {
  Workspace workspace;
  workspace.write_corpus();
  auto config = tiny_config();
  config["training"]["max_steps"] = 12;  // enough for the warm-up and a validation, so that there is nothing to warn of
  EXPECT_EQ(workspace.train(config, {"--quiet"}).err, "");
  const auto warned = trained().infer({"--quiet"}, "the d\xFFog\n");
  EXPECT_EQ(count_of(warned.err, "\n"), 1U) << warned.err;
  EXPECT_EQ(trained().infer({"--log-level", "off"}, "the d\xFFog\n").err, "");
  EXPECT_THAT(warned.err, Not(HasSubstr("error")));
}

}  // namespace
}  // namespace translate

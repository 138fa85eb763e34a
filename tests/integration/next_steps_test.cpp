// What the trainer says one can do next works as it stands, whatever the run is called and wherever it lies.
#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class NextSteps : public ProgramTest {
 protected:
  /// The commands behind "next: ", in order.
  static Arguments hinted(const ProcessResult& result) {
    const std::string mark = "next: ";
    const auto begin = result.err.find(mark);
    if (begin == std::string::npos) {
      return {};
    }
    auto rest = result.err.substr(begin + mark.size());
    rest.resize(rest.find('\n'));
    Arguments commands;
    for (const std::string separator = ", or "; !rest.empty();) {
      const auto end = std::min(rest.find(separator), rest.size());
      commands.push_back(rest.substr(0, end));
      rest.erase(0, end + separator.size());
    }
    return commands;
  }

  void expect_hints_work(const Json& config, const Arguments& arguments, std::size_t count) const {
    const auto result = workspace_.train(config, arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto commands = hinted(result);
    ASSERT_EQ(commands.size(), count) << result.err;
    EXPECT_THAT(commands.back(), HasSubstr("translate-infer"));
    // Another run, written later, must not be the one that is meant.
    ASSERT_EQ(workspace_.train(tiny_config(), {"--run-dir", "runs/later", "--set", "training.max_steps=1"}).exit_code,
              0);
    for (const auto& command : commands) {
      const auto followed = workspace_.shell(command).wait();
      EXPECT_EQ(followed.exit_code, 0) << command << "\n" << followed.err;
      EXPECT_THAT(followed.out, Not(HasSubstr("runs/later"))) << command;
    }
  }
};

TEST_F(NextSteps, WorkWhereverTheRunIs) {
  expect_hints_work(tiny_config(), {}, 2);
  expect_hints_work(tiny_config(), {"--run-dir", "a run, it's elsewhere"}, 2);
  expect_hints_work(tiny_config(), {"--run-dir", (workspace_ / "absolute").string()}, 2);
  expect_hints_work(tiny_config(), {}, 2);  // the limit is reached already
}

TEST_F(NextSteps, WorkWithoutATestSet) {
  auto config = tiny_config();
  config["data"].erase("test");
  expect_hints_work(config, {}, 2);
  config["data"]["test"] = {{"source", "later.en"}, {"target", "later.fr"}};  // not there yet
  expect_hints_work(config, {}, 2);
  config["data"]["validation"] = Json::array();
  expect_hints_work(config, {"--run-dir", "blind"}, 1);
}

TEST_F(NextSteps, APlainNameIsGivenWhereTheShellFindsTheProgram) {
  workspace_.write("tiny.json", tiny_config().dump());
  const std::string train = "$BIN/translate-train --config tiny.json --threads 1 2>&1";
  EXPECT_THAT(workspace_.shell(train).wait().out,
              HasSubstr("next: " + program_folder().string() + "/translate-eval --run-dir runs/tiny, or"));
  EXPECT_THAT(workspace_.shell("PATH=$BIN:$PATH " + train).wait().out,
              HasSubstr("next: translate-eval --run-dir runs/tiny, or translate-infer --run-dir runs/tiny \"...\""));
}

TEST_F(NextSteps, AStoppedTrainingSaysHowToGoOn) {
  ASSERT_EQ(workspace_.train(tiny_config()).exit_code, 0);
  auto config = tiny_config();
  config["training"]["max_steps"] = 1000000;
  for (const auto& [arguments, wanted] : {std::pair(Arguments{"--run-dir", "a"}, "the same command resumes from here"),
                                          std::pair(Arguments{"--run-dir", "b", "--init", "runs/tiny/latest"},
                                                    "the same command without --init resumes from here"),
                                          std::pair(Arguments{"--run-dir", "a", "--resume", "never"},
                                                    "the same command without --resume never resumes from here")}) {
    auto process = workspace_.start_training(config, arguments);
    ASSERT_TRUE(process.wait_for_err("saved "));
    process.send(SIGINT);
    const auto result = process.wait();
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_THAT(result.err, AllOf(HasSubstr(wanted), Not(HasSubstr("next: "))));
    const auto again = workspace_.train(config, {arguments[0], arguments[1], "--set", "training.max_steps=1"});
    EXPECT_EQ(again.exit_code, 0) << again.err;  // it goes on, and finds its limit reached
    EXPECT_THAT(again.err, HasSubstr("resuming from"));
  }
}

}  // namespace
}  // namespace translate

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "command_line/program.h"

namespace translate {
namespace {

/// What is said of a command line for a program with --config, --checkpoint, --set and --quiet.
std::string said_of(std::vector<std::string> arguments) {
  CLI::App app("", "translate-test");
  std::vector<std::string> values;
  app.add_option("--config", values)->allow_extra_args(false);
  app.add_option("--checkpoint", values)->allow_extra_args(false);
  app.add_option("--set", values)->allow_extra_args(false);
  bool quiet = false;
  app.add_flag("--quiet", quiet);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError&) {
    return unknown_options(app);
  }
  return "";
}

TEST(UnknownOptionsTest, TheMeantOneIsNamed) {
  EXPECT_EQ(said_of({"--confg", "x"}), "unknown option --confg; did you mean --config?");
  EXPECT_EQ(said_of({"--confg=x"}), "unknown option --confg; did you mean --config?");
  EXPECT_EQ(said_of({"--cnofig"}), "unknown option --cnofig; did you mean --config?");
  EXPECT_EQ(said_of({"--CONFIG"}), "unknown option --CONFIG; did you mean --config?");
  EXPECT_EQ(said_of({"--check"}), "unknown option --check; did you mean --checkpoint?");
  EXPECT_EQ(said_of({"-config"}), "unknown option -config; did you mean --config?");
}

TEST(UnknownOptionsTest, KeysConfigurationsAndCheckpointsAreToldTheirOptions) {
  EXPECT_EQ(said_of({"--max-steps", "9"}), "unknown option --max-steps; did you mean --set training.max_steps=VALUE?");
  EXPECT_EQ(said_of({"--lr", "1"}), "unknown option --lr; did you mean --set training.learning_rate=VALUE?");
  EXPECT_EQ(said_of({"--gpu"}), "unknown option --gpu; did you mean --device cuda?");
  EXPECT_EQ(said_of({"--vocab_size=9"}), "unknown option --vocab_size; did you mean --set tokenizer.vocab_size=VALUE?");
  EXPECT_EQ(said_of({"my.json"}), "unexpected argument \"my.json\"; did you mean --config my.json?");
  EXPECT_EQ(said_of({"average:3"}), "unexpected argument \"average:3\"; did you mean --checkpoint average:3?");
}

TEST(UnknownOptionsTest, WhereNoneIsNearNoneIsNamed) {
  EXPECT_EQ(said_of({"--zebra"}), "unknown option --zebra");
  EXPECT_EQ(said_of({"--c"}), "unknown option --c");
  EXPECT_EQ(said_of({"-c"}), "unknown option -c");
}

TEST(UnknownOptionsTest, AllAreToldAtOnce) {
  EXPECT_EQ(said_of({"--confg", "x", "--quite"}),
            "unknown option --confg; did you mean --config?\nunknown option --quite; did you mean --quiet?");
  EXPECT_EQ(said_of({"a", "--quiet", "b"}), "unexpected argument \"a\"\nunexpected argument \"b\"");
}

TEST(UnknownOptionsTest, TextThatBeginsWithADashIsToldHowToBeGiven) {
  EXPECT_EQ(said_of({"-Non, dit-il"}), "unknown option -Non, dit-il; put -- before text that begins with a dash");
}

TEST(UnknownOptionsTest, KnownOnesAreNoTrouble) {
  EXPECT_EQ(said_of({"--config", "x", "--quiet"}), "");
  EXPECT_EQ(said_of({"--config"}), "");  // another mistake
}

}  // namespace
}  // namespace translate

#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line/help_formatter.h"

namespace translate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A command line with an option of each kind.
class CommandTextTest : public ::testing::Test {
 protected:
  CommandTextTest() {
    app_.add_option("TEXT", texts_, "Sentences");
    auto* file = app_.add_option("-i,--input", text_, "A file")->type_name("FILE");
    app_.add_option("--run-dir", text_, "A folder")->type_name("DIR");
    app_.add_option("--kind", kind_, "Which kind")->check(CLI::IsMember({"a", "b"}))->capture_default_str();
    app_.add_option("--list", texts_, "Which ones")->check(CLI::IsMember({"x", "y"}))->type_name("LIST");
    app_.add_option("--count", count_, "How many")->check(CLI::Range(1, 9))->type_name("N")->group("Numbers");
    app_.add_flag("--quiet", flag_, "Says nothing")->excludes(file);
    app_.add_flag("--secret", flag_, "Not shown")->group("");
    app_.footer("Examples:\n  prog --input a\n      reads a\n\nThe rest.\n\nAnd more.");
    command_ = describe_command(app_);
  }

  [[nodiscard]] const OptionText& option(const std::string& name) const {
    for (const auto& one : command_.options) {
      if (one.names.back() == name) {
        return one;
      }
    }
    throw std::out_of_range(name);
  }

  CLI::App app_{"Does something.", "prog"};
  std::vector<std::string> texts_;
  std::string text_;
  std::string kind_ = "a";
  std::optional<int> count_;
  bool flag_ = false;
  CommandText command_;
};

TEST_F(CommandTextTest, HasNameDescriptionAndTheFootersParts) {
  EXPECT_EQ(command_.name, "prog");
  EXPECT_EQ(command_.description, "Does something.");
  EXPECT_EQ(command_.examples, "  prog --input a\n      reads a");
  EXPECT_EQ(command_.notes, "The rest.\n\nAnd more.");
}

TEST_F(CommandTextTest, AFooterWithoutExamplesIsNotes) {
  app_.footer("Only this.");
  EXPECT_EQ(describe_command(app_).notes, "Only this.");
  EXPECT_THAT(describe_command(app_).examples, IsEmpty());
  app_.footer("Examples:\n  prog");
  EXPECT_EQ(describe_command(app_).examples, "  prog");
  EXPECT_THAT(describe_command(app_).notes, IsEmpty());
}

TEST_F(CommandTextTest, HasEveryOptionThatHelpShows) {
  std::vector<std::string> names;
  for (const auto& one : command_.options) {
    names.push_back(one.names.back());
  }
  EXPECT_THAT(names, ElementsAre("--help", "--input", "--run-dir", "--kind", "--list", "--quiet", "--count"));
  ASSERT_EQ(command_.positionals.size(), 1U);
  EXPECT_THAT(command_.positionals[0].names, ElementsAre("TEXT"));
  EXPECT_TRUE(command_.positionals[0].repeatable);
}

TEST_F(CommandTextTest, TellsWhatAValueIs) {
  EXPECT_EQ(option("--input").kind, ValueKind::kFile);
  EXPECT_THAT(option("--input").names, ElementsAre("-i", "--input"));
  EXPECT_EQ(option("--run-dir").kind, ValueKind::kRun);
  EXPECT_EQ(option("--count").kind, ValueKind::kOther);
  EXPECT_EQ(option("--count").value, "N");
  EXPECT_EQ(option("--count").group, "Numbers");
  EXPECT_EQ(option("--quiet").kind, ValueKind::kNone);
  EXPECT_EQ(option("--quiet").value, "");
  EXPECT_THAT(option("--quiet").excludes, ElementsAre("--input"));
  EXPECT_THAT(option("--input").excludes, Contains("--quiet"));
}

TEST_F(CommandTextTest, TellsTheChoicesAndTheDefault) {
  EXPECT_EQ(option("--kind").kind, ValueKind::kChoice);
  EXPECT_THAT(option("--kind").choices, ElementsAre("a", "b"));
  EXPECT_EQ(option("--kind").value, "a|b");
  EXPECT_EQ(option("--kind").default_value, "a");
  EXPECT_FALSE(option("--kind").repeatable);
  EXPECT_EQ(option("--list").value, "LIST");
  EXPECT_THAT(option("--list").choices, ElementsAre("x", "y"));
  EXPECT_TRUE(option("--list").repeatable);
}

}  // namespace
}  // namespace translate

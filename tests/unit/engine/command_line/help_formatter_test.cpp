#include "command_line/help_formatter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "core/terminal.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HelpFormatterTest : public ::testing::Test {
 protected:
  HelpFormatterTest() {
    auto* texts = app_.add_option("TEXT", texts_, "Sentences to translate");
    app_.add_option("--input", path_, "A text file to translate, one sentence a line, of any size that the disk holds")
        ->type_name("FILE")
        ->excludes(texts);
    app_.add_option("--level", level_, "How much to tell")
        ->check(CLI::IsMember({"debug", "info"}))
        ->capture_default_str();
    app_.add_option("--threads", threads_, "Threads")->check(CLI::Range(1, 9))->needs("--input")->group("Common");
    app_.add_flag("--json", json_, "Objects");
    app_.footer(
        "Examples:\n  translate --input a-file-of-some-length.en --level debug \"two  words\"\n      what it\n      "
        "does\n\nNotes of several\nlines.");
  }

  [[nodiscard]] std::string help(std::size_t columns) {
    app_.formatter(std::make_shared<HelpFormatter>(columns));
    return app_.help();
  }

  CLI::App app_{"Translates text.", "translate"};
  std::vector<std::string> texts_;
  std::string path_;
  std::string level_ = "info";
  int threads_ = 1;
  bool json_ = false;
};

TEST_F(HelpFormatterTest, ExamplesComeBeforeTheOptionsAndNotesLast) {
  EXPECT_EQ(help(80), R"(Translates text.

Usage: translate [OPTIONS] [TEXT...]

Examples:
  translate --input a-file-of-some-length.en --level debug "two  words"
      what it does

Arguments:
  TEXT...                     Sentences to translate

Options:
  -h,--help                   Print this help message and exit
  --input FILE                A text file to translate, one sentence a line, of
                              any size that the disk holds
  --level debug|info          How much to tell (default: info)
  --json                      Objects

Common:
  --threads N                 Threads

Notes of several lines.
)");
}

TEST_F(HelpFormatterTest, NarrowWindowsHaveDescriptionsBelow) {
  const auto text = help(60);
  EXPECT_THAT(text,
              HasSubstr("\n  --input FILE\n      A text file to translate, one sentence a line, of any\n      size"));
  EXPECT_THAT(text, HasSubstr("  translate --input a-file-of-some-length.en --level debug \\\n      \"two  words\"\n"));
}

TEST_F(HelpFormatterTest, NoLineIsWiderThanTheWindowOrAHundredColumns) {
  for (std::size_t columns = 40; columns <= 300; ++columns) {
    std::istringstream lines(help(columns));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), std::min<std::size_t>(columns, 100)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST_F(HelpFormatterTest, OptionsThatExcludeOrNeedEachOtherAreNotListed) {
  EXPECT_THAT(help(100), Not(HasSubstr("Excludes")));
  EXPECT_THAT(help(100), Not(HasSubstr("Needs")));
}

TEST(HelpFooterTest, IsPartedAtTheFirstBlankLine) {
  EXPECT_EQ(split_footer("Examples:\n  a\n\nb\n\nc").examples, "Examples:\n  a");
  EXPECT_EQ(split_footer("Examples:\n  a\n\nb\n\nc").notes, "b\n\nc");
  EXPECT_EQ(split_footer("Examples:\n  a").notes, "");
  EXPECT_EQ(split_footer("Notes").examples, "");
  EXPECT_EQ(split_footer("Notes").notes, "Notes");
}

}  // namespace
}  // namespace translate

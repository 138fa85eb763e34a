#include <gmock/gmock.h>

#include <string>

#include "command_line/manual.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CommandText command_with(const OptionText& option) {
  CommandText command;
  command.name = "a-prog";
  command.description = "Does something.";
  command.options = {option};
  return command;
}

OptionText option_with(const std::string& description) {
  OptionText option;
  option.names = {"-k", "--kind"};
  option.value = "WORD";
  option.kind = ValueKind::kOther;
  option.description = description;
  option.group = "Options";
  return option;
}

TEST(ManPage, HasItsSections) {
  auto command = command_with(option_with("Which kind"));
  command.examples = "  a-prog -k x";
  command.notes = "One.\n\nTwo.";
  const auto page = man_page(command, "1.2.3", {"other"});
  EXPECT_THAT(page, HasSubstr(".TH A\\-PROG 1 \"\" \"translate 1.2.3\""));
  EXPECT_THAT(page, HasSubstr(".SH NAME\na\\-prog \\- does something\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-k\\fR, \\fB\\-\\-kind\\fR \\fIWORD\\fR\nWhich kind.\n"));
  EXPECT_THAT(page, HasSubstr("One.\n.PP\nTwo.\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.nf\n  a\\-prog \\-k x\n.fi\n"));
  EXPECT_THAT(page, HasSubstr("\\fBother\\fR(1)"));
}

TEST(ManPage, TextIsNoMarkup) {
  const auto page = man_page(command_with(option_with(".5 of C:\\n, or so.")), "1", {});
  EXPECT_THAT(page, HasSubstr("\n\\&.5 of C:\\en, or so.\n"));
  EXPECT_THAT(man_page(command_with(option_with("'a' or 'b'")), "1", {}), HasSubstr("\n\\&'a' or 'b'.\n"));
}

TEST(ManPage, NamesChoicesAndDefault) {
  auto option = option_with("Which kind");
  option.choices = {"x", "y"};
  option.default_value = "x";
  EXPECT_THAT(man_page(command_with(option), "1", {}), HasSubstr("Which kind. One of x, y (default: x).\n"));
  option.value = "x|y";
  EXPECT_THAT(man_page(command_with(option), "1", {}), Not(HasSubstr("One of")));
}

TEST(ManPage, AGroupHasAHeading) {
  auto option = option_with("Which kind");
  option.group = "Kinds (all of them)";
  EXPECT_THAT(man_page(command_with(option), "1", {}), HasSubstr(".SS \"Kinds (all of them)\"\n.TP"));
}

}  // namespace
}  // namespace translate

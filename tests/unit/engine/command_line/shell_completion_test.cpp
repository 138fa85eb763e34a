#include "command_line/shell_completion.h"

#include <gmock/gmock.h>

#include <string>

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

OptionText option(const std::string& name, ValueKind kind, const std::string& value = "") {
  OptionText text;
  text.names = {name};
  text.kind = kind;
  text.value = value;
  text.description = "Tells";
  return text;
}

CommandText text_of_command(std::vector<OptionText> options) {
  CommandText command;
  command.name = "a-prog";
  command.options = std::move(options);
  return command;
}

TEST(ShellCompletion, NamesOfFilesAndFoldersWhereTheyAreWanted) {
  const auto command =
      text_of_command({option("--in", ValueKind::kFile, "FILE"), option("--dir", ValueKind::kFolder, "DIR")});
  EXPECT_THAT(zsh_completion(command, {}), HasSubstr("'(--in)--in[Tells]:FILE:_files'"));
  EXPECT_THAT(zsh_completion(command, {}), HasSubstr("'(--dir)--dir[Tells]:DIR:_files -/'"));
  EXPECT_THAT(fish_completion(command, {}), HasSubstr("complete -c a-prog -l in -r -F -d 'Tells'\n"));
  EXPECT_THAT(fish_completion(command, {}), HasSubstr("-l dir -x -a '(__fish_complete_directories)'"));
  EXPECT_THAT(bash_completion(command, {}), HasSubstr("complete -F _a_prog a-prog\n"));
}

TEST(ShellCompletion, KeysAndConfigurationsAreOffered) {
  const auto command = text_of_command(
      {option("--set", ValueKind::kKey, "KEY=VALUE"), option("--config", ValueKind::kConfiguration, "FILE")});
  const CompletionWords words{.keys = {"model.d_model", "run_dir"}, .configurations = {"en-fr.json"}};
  EXPECT_THAT(zsh_completion(command, words), HasSubstr(":KEY=VALUE:{compadd -S = -- model.d_model run_dir}'"));
  EXPECT_THAT(zsh_completion(command, words), HasSubstr(":FILE:{compadd -- en-fr.json; _files}'"));
  EXPECT_THAT(fish_completion(command, words), HasSubstr("-l set -x -a 'model.d_model= run_dir=' -d"));
  EXPECT_THAT(fish_completion(command, words), HasSubstr("-l config -r -F -a 'en-fr.json' -d"));
}

TEST(ShellCompletion, AFlagTakesNothingAndANumberIsNotGuessed) {
  const auto command =
      text_of_command({option("--quiet", ValueKind::kNone), option("--count", ValueKind::kOther, "N")});
  EXPECT_THAT(zsh_completion(command, {}), HasSubstr("'(--quiet)--quiet[Tells]'"));
  EXPECT_THAT(zsh_completion(command, {}), HasSubstr("'(--count)--count[Tells]:N: '"));
  EXPECT_THAT(fish_completion(command, {}), HasSubstr("-l quiet -d 'Tells'"));
  EXPECT_THAT(fish_completion(command, {}), HasSubstr("-l count -x -d 'Tells'"));
}

TEST(ShellCompletion, WhatExcludesAnOptionIsNotOfferedAfterIt) {
  auto one = option("--one", ValueKind::kNone);
  one.excludes = {"--two"};
  auto many = option("--many", ValueKind::kOther, "WORD");
  many.repeatable = true;
  const auto script = zsh_completion(text_of_command({one, many}), {});
  EXPECT_THAT(script, HasSubstr("'(--two --one)--one[Tells]'"));
  EXPECT_THAT(script, HasSubstr("'*--many[Tells]:WORD: '"));
}

TEST(ShellCompletion, DescriptionsDoNotBreakTheScript) {
  auto one = option("--one", ValueKind::kNone);
  one.description = "The model's [best] one: 3";
  const auto command = text_of_command({one});
  EXPECT_THAT(zsh_completion(command, {}), HasSubstr("[The model'\\''s \\[best\\] one\\: 3]'"));
  EXPECT_THAT(fish_completion(command, {}), HasSubstr("-d 'The model\\'s [best] one: 3'\n"));
}

TEST(ShellCompletion, OfALongDescriptionTheFirstClauseIsShown) {
  auto one = option("--one", ValueKind::kNone);
  one.description = "Which one (the first of all); " + std::string(80, 'x');
  EXPECT_THAT(fish_completion(text_of_command({one}), {}), HasSubstr("-d 'Which one'\n"));
  one.description = "Which one (the first of all)";
  EXPECT_THAT(fish_completion(text_of_command({one}), {}), HasSubstr("-d 'Which one (the first of all)'\n"));
  EXPECT_THAT(fish_completion(text_of_command({one}), {}), Not(HasSubstr("xxx")));
}

}  // namespace
}  // namespace translate

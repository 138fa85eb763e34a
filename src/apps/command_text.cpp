#include "translate/apps/command_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "translate/apps/help_formatter.h"

namespace translate {
namespace {

/// The values in "{a,b,c}", which is how CLI::IsMember describes itself; none elsewhere.
std::vector<std::string> choices_in(const std::string& type) {
  const auto begin = type.find('{');
  const auto end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) {
    return {};
  }
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

bool starts_with_any(const std::string& text, const std::vector<std::string_view>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

ValueKind kind_of(const OptionText& option) {
  if (option.value.empty()) return ValueKind::kNone;
  if (!option.choices.empty()) return ValueKind::kChoice;
  if (option.value == "DIR") return ValueKind::kFolder;
  // A checkpoint may be a name or a path, a tokenizer is a file.
  return starts_with_any(option.value, {"FILE", "WHICH", "SOURCE,TARGET"}) ? ValueKind::kFile : ValueKind::kOther;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (!option.nonpositional()) {
    return {option.get_name(true)};
  }
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// CLI11 calls a type without a name of its own TEXT, INT and so on, and appends what its checks say after a colon.
std::string value_of(const CLI::Option& option, const std::vector<std::string>& choices) {
  if (option.get_items_expected_max() == 0) {
    return "";
  }
  auto name = option.get_type_name();
  name.resize(std::min(name.find(':'), name.size()));
  return name == "TEXT" && !choices.empty() ? fmt::format("{}", fmt::join(choices, "|")) : name;
}

OptionText describe(const CLI::Option& option) {
  OptionText text;
  text.names = names_of(option);
  text.choices = choices_in(option.get_type_name());
  text.value = value_of(option, text.choices);
  text.kind = kind_of(text);
  text.description = option.get_description();
  text.default_value = option.get_default_str();
  text.group = option.get_group();
  for (const auto* other : option.get_excludes()) {
    if (other->nonpositional()) text.excludes.push_back(names_of(*other).back());
  }
  std::ranges::sort(text.excludes);
  text.repeatable = option.get_items_expected_max() > 1;
  return text;
}

}  // namespace

CommandText describe_command(const CLI::App& app) {
  CommandText command;
  command.name = app.get_name();
  command.description = app.get_description();
  for (const auto& group : app.get_groups()) {
    for (const auto* option : app.get_options([&](const CLI::Option* one) { return one->get_group() == group; })) {
      if (!group.empty()) {
        (option->nonpositional() ? command.options : command.positionals).push_back(describe(*option));
      }
    }
  }
  constexpr std::string_view kHeading = "Examples:\n";
  auto footer = split_footer(app.get_footer());
  if (!footer.examples.empty()) {
    command.examples = footer.examples.substr(kHeading.size());
  }
  command.notes = std::move(footer.notes);
  return command;
}

}  // namespace translate

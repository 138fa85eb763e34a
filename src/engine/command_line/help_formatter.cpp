#include "command_line/help_formatter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/terminal.h"

namespace translate {

namespace {

constexpr std::size_t kWidest = 100;
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kTwoColumns = 70;  ///< from this width on, descriptions are beside the names
constexpr std::size_t kNameColumn = 30;
constexpr std::string_view kExamples = "Examples:";

/// Wraps the text to `columns` and indents every line by `indent` spaces.
std::string block(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string lines;
  for (const auto& line : wrap(text, columns - indent)) {
    lines += std::string(indent, ' ') + line + "\n";
  }
  return lines;
}

/// Splits a command into words and keeps an option together with its value. Spaces inside quotes do not separate words.
std::vector<std::string> words_of_command(std::string_view command) {
  std::vector<std::string> words = {""};
  char quote = 0;
  for (const char c : command) {
    if (c == ' ' && quote == 0) {
      words.emplace_back();
      continue;
    }
    const bool is_value = c != '-' && words.back().empty() && words.size() > 1 && words[words.size() - 2][0] == '-' &&
                          words[words.size() - 2].find(' ') == std::string::npos;
    if (is_value) {
      words.pop_back();
      words.back() += ' ';
    }
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
    words.back() += c;
  }
  std::erase(words, "");
  return words;
}

/// Wraps a command so that it can be copied unchanged from the window: if it is too long, its lines end in "\".
std::string wrapped_command(std::string_view command, std::size_t columns) {
  constexpr std::string_view kContinued = " \\";
  std::string lines;
  std::string line = " ";
  bool empty = true;
  for (const auto& word : words_of_command(command)) {
    if (!empty && display_width(line) + 1 + display_width(word) + kContinued.size() > columns) {
      lines += line + std::string(kContinued) + "\n";
      line = "     ";
    }
    line += " " + word;
    empty = false;
  }
  return lines + line + "\n";
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Wraps the text of a footer: paragraphs, commands (indented by two spaces) and their explanations (indented further).
std::string wrapped_footer(std::string_view footer, std::size_t columns) {
  constexpr std::size_t kCommand = 2;
  std::string text;
  std::string paragraph;
  std::size_t indent = 0;
  const auto end_paragraph = [&] { text += block(std::exchange(paragraph, {}), indent, columns); };
  for (std::size_t begin = 0; begin < footer.size();) {
    const auto end = std::min(footer.find('\n', begin), footer.size());
    const auto line = footer.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || indent_of(line) == kCommand || indent_of(line) != indent) {
      end_paragraph();
    }
    indent = indent_of(line);
    if (line.empty()) {
      text += "\n";
    } else if (indent == kCommand) {
      text += wrapped_command(line, columns);
    } else {
      paragraph += std::string(line) + " ";
    }
  }
  end_paragraph();
  return text;
}

/// Returns the placeholder of an option's value: the words that it takes, or the kind of value.
std::string value_name(const CLI::Option* option) {
  const auto type = option->get_type_name();  // "TEXT:{auto,cpu}", "N:INT in [1 - 1000]", "FILE"
  const auto colon = type.find(':');
  const auto kind = type.substr(0, colon);
  if (kind == "TEXT" && colon != std::string::npos && type[colon + 1] == '{') {
    auto choices = type.substr(colon + 2, type.find('}') - colon - 2);
    std::ranges::replace(choices, ',', '|');
    return choices;
  }
  return kind == "INT" || kind == "UINT" || kind == "FLOAT" ? "N" : kind;
}

}  // namespace

HelpFooter split_footer(const std::string& footer) {
  if (!footer.starts_with(kExamples)) {
    return {.examples = "", .notes = footer};
  }
  const auto end = footer.find("\n\n");
  const bool alone = end == std::string::npos;
  return {.examples = footer.substr(0, end), .notes = alone ? "" : footer.substr(end + 2)};
}

HelpFormatter::HelpFormatter(std::size_t columns)
    : columns_(std::clamp(columns > 0 ? columns : terminal_columns(STDOUT_FILENO), kNarrowest, kWidest)) {
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const {
  const auto footer = split_footer(app->get_footer());
  auto text = make_description(app) + make_usage(app, std::move(name));
  if (!footer.examples.empty()) {
    text += "\n" + wrapped_footer(footer.examples, columns_);
  }
  text += make_positionals(app);
  for (const auto& group : app->get_groups()) {
    const auto options = app->get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
    if (!group.empty() && !options.empty()) {
      text += make_group(group, false, options);
    }
  }
  return footer.notes.empty() ? text : text + "\n" + wrapped_footer(footer.notes, columns_);
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return block(app->get_description(), 0, columns_) + "\n";
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  return block(CLI::Formatter::make_usage(app, std::move(name)), 0, columns_);
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  auto text = "\n" + block(group + ":", 0, columns_);
  for (const auto* option : options) {
    text += make_option(option, is_positional);
  }
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kBelow = 6;
  const auto name = std::string(kIndent, ' ') + make_option_name(option, is_positional) + make_option_opts(option);
  const bool beside = columns_ >= kTwoColumns;
  const auto description = block(make_option_desc(option), beside ? kNameColumn : kBelow, columns_);
  if (!beside || display_width(name) + 2 > kNameColumn || description.empty()) {
    return name + "\n" + description;
  }
  return pad_right(name, kNameColumn) + description.substr(kNameColumn);
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) {
    return "";
  }
  const auto value = option->get_positional() ? "" : value_name(option);
  const bool several = option->get_expected_max() == CLI::detail::expected_max_vector_size &&
                       (option->get_positional() || option->get_allow_extra_args());
  return (value.empty() ? "" : " ") + value + (several ? "..." : "") + (option->get_required() ? " (required)" : "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  const auto value = option->get_default_str();
  return option->get_description() + (value.empty() ? "" : " (default: " + value + ")");
}

namespace {

/// Returns the values in "{a,b,c}", the form in which CLI::IsMember describes itself; none for other types.
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
  if (option.value.empty()) {
    return ValueKind::kNone;
  }
  if (!option.choices.empty()) {
    return ValueKind::kChoice;
  }
  if (option.value == "KEY=VALUE") {
    return ValueKind::kKey;
  }
  if (option.value == "WHICH") {
    return ValueKind::kCheckpoint;
  }
  const auto has_name = [&](const char* name) { return std::ranges::find(option.names, name) != option.names.end(); };
  if (option.value == "RUN" || has_name("--run-dir")) {
    return ValueKind::kRun;
  }
  if (has_name("--config")) {
    return ValueKind::kConfiguration;
  }
  if (option.value == "DIR") {
    return ValueKind::kFolder;
  }
  return starts_with_any(option.value, {"FILE", "SOURCE,TARGET"}) ? ValueKind::kFile : ValueKind::kOther;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (!option.nonpositional()) {
    return {option.get_name(true)};
  }
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const auto& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  return names;
}

/// Returns the placeholder of a value. CLI11 names types without a name of their own TEXT, INT and so on, and appends
/// the descriptions of the checks after a colon.
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
    if (other->nonpositional()) {
      text.excludes.push_back(names_of(*other).back());
    }
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

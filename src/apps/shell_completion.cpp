#include "translate/apps/shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

namespace translate {
namespace {

/// `text` with `escape` before each of `characters`.
std::string escaped(const std::string& text, const std::string& characters, const std::string& escape) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) result += escape;
    result += c;
  }
  return result;
}

/// In single quotes, as bash and zsh read them.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// Up to the first of `ends`.
std::string cut(const std::string& text, std::initializer_list<const char*> ends) {
  auto length = text.size();
  for (const auto* end : ends) {
    length = std::min(length, text.find(end));
  }
  return text.substr(0, length);
}

/// What fits on one line beside the option: the whole, or its first sentence or clause.
std::string brief(const std::string& description) {
  constexpr std::size_t kWidth = 80;
  if (description.size() <= kWidth) {
    return description;
  }
  const auto clause = cut(description, {". ", "; ", " ("});
  return clause.size() <= kWidth ? clause : cut(clause, {": "});
}

std::string function_name(const CommandText& command) {
  auto name = "_" + command.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string names_with(const CommandText& command, ValueKind kind) {
  std::vector<std::string> names;
  for (const auto& option : command.options) {
    if (option.kind == kind) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

/// A branch of bash's `case` over the option before the word; nothing where no option is meant.
std::string branch(const std::string& names, const std::string& action) {
  return names.empty() ? "" : fmt::format("    {})\n{}      return ;;\n", names, action);
}

std::string choice_branches(const CommandText& command) {
  std::string text;
  for (const auto& option : command.options) {
    if (option.kind == ValueKind::kChoice) {
      text += branch(fmt::format("{}", fmt::join(option.names, "|")),
                     fmt::format("      mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\")\n",
                                 quoted(fmt::format("{}", fmt::join(option.choices, " ")))));
    }
  }
  return text;
}

std::string zsh_action(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoice:
      return fmt::format(":{}:({})", escaped(option.value, ":", "\\"), fmt::join(option.choices, " "));
    case ValueKind::kFile:
      return fmt::format(":{}:_files", option.value);
    case ValueKind::kFolder:
      return fmt::format(":{}:_files -/", option.value);
    case ValueKind::kOther:
      return fmt::format(":{}: ", option.value);
  }
  return "";
}

std::string fish_action(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoice:
      return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kOther:
      return " -x";
  }
  return "";
}

std::string fish_name(const std::string& name) {
  return name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
}

}  // namespace

std::string bash_completion(const CommandText& command) {
  const auto function = function_name(command);
  std::vector<std::string> names;
  for (const auto& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  // readline takes "--option=value" apart at the "=".
  auto text = fmt::format(R"(# Made from the options of {} by the build.
{}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD - 1]}}"
  if [[ $word == = ]]; then
    word=""
  elif [[ $before == = ]]; then
    before="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  COMPREPLY=()
  case "$before" in
)",
                          command.name, function);
  text += choice_branches(command);
  text += branch(names_with(command, ValueKind::kFile),
                 "      compopt -o filenames 2>/dev/null\n      mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n");
  text += branch(names_with(command, ValueKind::kFolder),
                 "      compopt -o filenames 2>/dev/null\n      mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n");
  text += branch(names_with(command, ValueKind::kOther), "");
  text += fmt::format(R"(  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {} -- "$word")
  fi
}}
complete -F {} {}
)",
                      quoted(fmt::format("{}", fmt::join(names, " "))), function, command.name);
  return text;
}

std::string zsh_completion(const CommandText& command) {
  auto text = fmt::format("#compdef {}\n# Made from the options of {} by the build.\n_arguments -s -S", command.name,
                          command.name);
  for (const auto& option : command.options) {
    const auto description = escaped(brief(option.description), "[]:\\", "\\");
    for (const auto& name : option.names) {
      auto others = option.excludes;
      if (!option.repeatable) others.insert(others.end(), option.names.begin(), option.names.end());
      const auto exclusions = others.empty() ? "" : fmt::format("({})", fmt::join(others, " "));
      text += fmt::format(" \\\n  {}", quoted(fmt::format("{}{}{}[{}]{}", exclusions, option.repeatable ? "*" : "",
                                                          name, description, zsh_action(option))));
    }
  }
  for (const auto& positional : command.positionals) {
    text += fmt::format(" \\\n  {}", quoted(fmt::format("*:{}: ", positional.names.front())));
  }
  return text + "\n";
}

std::string fish_completion(const CommandText& command) {
  auto text =
      fmt::format("# Made from the options of {} by the build.\ncomplete -c {} -f\n", command.name, command.name);
  for (const auto& option : command.options) {
    text += fmt::format("complete -c {}", command.name);
    for (const auto& name : option.names) text += fish_name(name);
    text += fmt::format("{} -d '{}'\n", fish_action(option), escaped(brief(option.description), "'\\", "\\"));
  }
  return text;
}

}  // namespace translate

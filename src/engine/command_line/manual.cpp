#include "command_line/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <sstream>

namespace translate {

namespace {

/// Escapes text for roff, so that it prints a minus rather than a hyphen and sees no escapes and no requests at the
/// start of a line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((result.empty() || result.back() == '\n') && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Returns "-h, --help" or "--device auto|cpu=auto" with bold names and the value in italics.
std::string heading(const OptionText& option) {
  std::string text;
  for (const auto& name : option.names) {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", escaped(name));
  }
  const bool positional = option.names.front() == option.value;
  if (!option.value.empty() && !positional) {
    text += fmt::format(" \\fI{}\\fR", escaped(option.value));
  }
  if (option.repeatable) {
    text += " ...";
  }
  return text;
}

std::string paragraph(const OptionText& option) {
  auto text = option.description;
  const bool names_choices = !option.choices.empty() && option.value.find('|') == std::string::npos;
  if (names_choices) {
    text += fmt::format(". One of {}", fmt::join(option.choices, ", "));
  }
  if (!option.default_value.empty()) {
    text += fmt::format(" (default: {})", option.default_value);
  }
  if (!text.ends_with('.')) {
    text += ".";
  }
  return fmt::format(".TP\n{}\n{}\n", heading(option), escaped(text));
}

std::string synopsis(const CommandText& command) {
  auto text = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [\\fIOPTION\\fR]...", escaped(command.name));
  for (const auto& positional : command.positionals) {
    text += fmt::format(" [\\fI{}\\fR]{}", escaped(positional.names.front()), positional.repeatable ? "..." : "");
  }
  return text + "\n";
}

std::string options(const CommandText& command) {
  std::string text = ".SH OPTIONS\n";
  for (const auto& positional : command.positionals) {
    text += paragraph(positional);
  }
  std::string group = "Options";  // CLI11's own name for options without a heading
  for (const auto& option : command.options) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format(".SS \"{}\"\n", escaped(group));
    }
    text += paragraph(option);
  }
  return text;
}

/// Returns lines without filling them: commands and their explanations.
std::string verbatim(const std::string& lines) { return fmt::format(".nf\n{}\n.fi\n", escaped(lines)); }

/// Returns paragraphs, which blank lines separate.
std::string prose(const std::string& notes) {
  std::string text;
  std::istringstream lines(notes);
  for (std::string line; std::getline(lines, line);) {
    text += line.empty() ? ".PP\n" : escaped(line) + "\n";
  }
  return text;
}

std::string references(const std::vector<std::string>& see_also) {
  std::string text;
  for (const auto& name : see_also) {
    text += fmt::format("{}\\fB{}\\fR(1)", text.empty() ? "" : ",\n", escaped(name));
  }
  return text + "\n";
}

}  // namespace

std::string man_page(const CommandText& command, std::string_view version, const std::vector<std::string>& see_also) {
  auto summary = command.description;
  if (summary.ends_with('.')) {
    summary.pop_back();
  }
  if (!summary.empty()) {
    summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  }
  auto text = fmt::format(
      ".\\\" Made from the options of the program by the build.\n.TH {} 1 \"\" \"translate {}\" \"User Commands\"\n",
      escaped(upper(command.name)), version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(command.name), escaped(summary));
  text += synopsis(command) + fmt::format(".SH DESCRIPTION\n{}\n", escaped(command.description)) + prose(command.notes);
  text += options(command);
  if (!command.examples.empty()) {
    text += ".SH EXAMPLES\n" + verbatim(command.examples);
  }
  if (!see_also.empty()) {
    text += ".SH \"SEE ALSO\"\n" + references(see_also);
  }
  return text;
}

namespace {

/// Returns `text` with `escape` before each of `characters`.
std::string escaped(const std::string& text, const std::string& characters, const std::string& escape) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) {
      result += escape;
    }
    result += c;
  }
  return result;
}

/// Quotes text in single quotes, as bash and zsh read them.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// Returns `text` up to the first of `ends`.
std::string cut(const std::string& text, std::initializer_list<const char*> ends) {
  auto length = text.size();
  for (const auto* end : ends) {
    length = std::min(length, text.find(end));
  }
  return text.substr(0, length);
}

/// Shortens a description to fit on one line beside the option: all of it, or its first sentence or clause.
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
    if (option.kind == kind) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

/// Returns a branch of bash's `case` over the option before the word; nothing if `names` is empty.
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
  // readline splits "--option=value" at the "=".
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
      if (!option.repeatable) {
        others.insert(others.end(), option.names.begin(), option.names.end());
      }
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
    for (const auto& name : option.names) {
      text += fish_name(name);
    }
    text += fmt::format("{} -d '{}'\n", fish_action(option), escaped(brief(option.description), "'\\", "\\"));
  }
  return text;
}

}  // namespace translate

#include "command_line/shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

namespace translate {

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

/// Words as the shells read them in a list.
std::string listed(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

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

/// Bash: tells readline that the answers may be names of files.
constexpr const char* kFileNames = "      compopt -o filenames 2>/dev/null\n";

/// Bash: the branch for the options of a kind whose values are words, the runs under runs/ with something behind their
/// names, and names of files or folders (`flag`: that of compgen for these).
std::string run_branch(const CommandText& command, ValueKind kind, const std::string& words, const std::string& behind,
                       const std::string& flag) {
  const auto for_runs = fmt::format(R"(      mapfile -t COMPREPLY < <(
        compgen -W '{}' -- "$word"
        for run in runs/*/checkpoints; do
          run="${{run%/checkpoints}}"
          [[ -d $run && $run{} == "$word"* ]] && printf '%s\n' "$run{}"
        done
        compgen {} -- "$word")
)",
                                    words, behind, behind, flag);
  return branch(names_with(command, kind), "      local run\n" + (kFileNames + for_runs));
}

std::string choice_branches(const CommandText& command) {
  std::string text;
  for (const auto& option : command.options) {
    if (option.kind == ValueKind::kChoice) {
      text += branch(
          fmt::format("{}", fmt::join(option.names, "|")),
          fmt::format("      mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\")\n", quoted(listed(option.choices))));
    }
  }
  return text;
}

std::string zsh_action(const OptionText& option, const CompletionWords& words) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoice:
      return fmt::format(":{}:({})", escaped(option.value, ":", "\\"), listed(option.choices));
    case ValueKind::kKey:
      return fmt::format(":{}:{{compadd -S = -- {}}}", option.value, listed(words.keys));
    case ValueKind::kConfiguration:
      return fmt::format(":{}:{{compadd -- {}; _files}}", option.value, listed(words.configurations));
    case ValueKind::kCheckpoint:
      return fmt::format(":{}:{{compadd -- latest best runs/*/checkpoints(N\\:s/checkpoints/best/); _files}}",
                         option.value);
    case ValueKind::kRun:
      return fmt::format(":{}:{{compadd -- runs/*/checkpoints(N\\:h); _files -/}}", option.value);
    case ValueKind::kFile:
      return fmt::format(":{}:_files", option.value);
    case ValueKind::kFolder:
      return fmt::format(":{}:_files -/", option.value);
    case ValueKind::kOther:
      return fmt::format(":{}: ", option.value);
  }
  return "";
}

std::string fish_action(const OptionText& option, const CompletionWords& words) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoice:
      return fmt::format(" -x -a '{}'", listed(option.choices));
    case ValueKind::kKey:
      return fmt::format(" -x -a '{}='", fmt::join(words.keys, "= "));
    case ValueKind::kConfiguration:
      return fmt::format(" -r -F -a '{}'", listed(words.configurations));
    case ValueKind::kCheckpoint:
      return " -r -F -a 'latest best (string replace checkpoints best -- runs/*/checkpoints)'";
    case ValueKind::kRun:
      return " -x -a '(string replace /checkpoints \"\" -- runs/*/checkpoints; __fish_complete_directories)'";
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

std::string bash_completion(const CommandText& command, const CompletionWords& words) {
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
  text += branch(names_with(command, ValueKind::kKey),
                 fmt::format("      compopt -o nospace 2>/dev/null\n"
                             "      mapfile -t COMPREPLY < <(compgen -S = -W '{}' -- \"$word\")\n",
                             listed(words.keys)));
  text +=
      branch(names_with(command, ValueKind::kConfiguration),
             fmt::format("{}      mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"; compgen -f -- \"$word\")\n",
                         kFileNames, listed(words.configurations)));
  text += run_branch(command, ValueKind::kCheckpoint, "latest best", "/best", "-f");
  text += run_branch(command, ValueKind::kRun, "", "", "-d");
  const auto of_files = [](const char* flag) {
    return fmt::format("{}      mapfile -t COMPREPLY < <(compgen {} -- \"$word\")\n", kFileNames, flag);
  };
  text += branch(names_with(command, ValueKind::kFile), of_files("-f"));
  text += branch(names_with(command, ValueKind::kFolder), of_files("-d"));
  text += branch(names_with(command, ValueKind::kOther), "");
  text += fmt::format(R"(  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {} -- "$word")
  fi
}}
complete -F {} {}
)",
                      quoted(listed(names)), function, command.name);
  return text;
}

std::string zsh_completion(const CommandText& command, const CompletionWords& words) {
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
                                                          name, description, zsh_action(option, words))));
    }
  }
  for (const auto& positional : command.positionals) {
    text += fmt::format(" \\\n  {}", quoted(fmt::format("*:{}: ", positional.names.front())));
  }
  return text + "\n";
}

std::string fish_completion(const CommandText& command, const CompletionWords& words) {
  auto text =
      fmt::format("# Made from the options of {} by the build.\ncomplete -c {} -f\n", command.name, command.name);
  for (const auto& option : command.options) {
    text += fmt::format("complete -c {}", command.name);
    for (const auto& name : option.names) {
      text += fish_name(name);
    }
    text += fmt::format("{} -d '{}'\n", fish_action(option, words), escaped(brief(option.description), "'\\", "\\"));
  }
  return text;
}

}  // namespace translate

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace translate {

/// What the value of an option is, as far as a shell can help with it.
enum class ValueKind { kNone, kChoice, kFile, kFolder, kOther };

/// One option of a program, as man pages and completions show it.
struct OptionText {
  std::vector<std::string> names;    ///< with their dashes, the short ones first; of a positional: its name
  std::string value;                 ///< what stands for the value: FILE, N, a|b|c; empty: takes none
  std::vector<std::string> choices;  ///< the values that there are, where they are few
  ValueKind kind = ValueKind::kNone;
  std::string description;
  std::string default_value;          ///< empty: none is shown
  std::string group;                  ///< the heading it stands under
  std::vector<std::string> excludes;  ///< names of options that do not go with it
  bool repeatable = false;            ///< takes several values
};

/// A program's command line in words, read from its option objects.
struct CommandText {
  std::string name;
  std::string description;
  std::vector<OptionText> positionals;
  std::vector<OptionText> options;  ///< in the order of --help
  std::string examples;             ///< of the footer, without their heading
  std::string notes;                ///< the rest of the footer
};

/// What `app` says about itself. Options without a group are hidden, here as in --help.
[[nodiscard]] CommandText describe_command(const CLI::App& app);

}  // namespace translate

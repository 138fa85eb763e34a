#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace translate {

/// Formats the --help of all programs, wrapped to the width of the window (100 columns at most; 80 if stdout is not a
/// terminal). The examples at the start of a footer ("Examples:", up to the first blank line) come before the options.
/// The help does not list which options exclude or need each other: the error messages say it.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `columns`: the width of the window; 0 takes the width of the terminal on stdout.
  explicit HelpFormatter(std::size_t columns = 0);

  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  [[nodiscard]] std::string make_description(const CLI::App* app) const override;
  [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override;
  [[nodiscard]] std::string make_group(std::string group, bool is_positional,
                                       std::vector<const CLI::Option*> options) const override;
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override;
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;

 private:
  std::size_t columns_;
};

/// The two parts of a footer: the examples (empty if it does not begin with them) and the notes after them.
struct HelpFooter {
  std::string examples;
  std::string notes;
};

[[nodiscard]] HelpFooter split_footer(const std::string& footer);

/// The kind of an option's value, as far as a shell can complete it.
enum class ValueKind {
  kNone,
  kChoice,
  kKey,            ///< of the configuration, with a value behind it
  kConfiguration,  ///< a file, or the name of one that comes with the programs
  kCheckpoint,
  kRun,  ///< the folder of one
  kFile,
  kFolder,
  kOther
};

/// One option of a program, as man pages and completions show it.
struct OptionText {
  std::vector<std::string> names;    ///< with their dashes, short ones first; for a positional, its name
  std::string value;                 ///< placeholder of the value: FILE, N, a|b|c; empty: takes none
  std::vector<std::string> choices;  ///< the possible values, if they are few
  ValueKind kind = ValueKind::kNone;
  std::string description;
  std::string default_value;          ///< empty: not shown
  std::string group;                  ///< the heading above it
  std::vector<std::string> excludes;  ///< names of options that it excludes
  bool repeatable = false;            ///< takes several values
};

/// A program's command line in words, read from its option objects.
struct CommandText {
  std::string name;
  std::string description;
  std::vector<OptionText> positionals;
  std::vector<OptionText> options;  ///< in the order of --help
  std::string examples;             ///< from the footer, without their heading
  std::string notes;                ///< the rest of the footer
};

/// Returns the description of `app`. Options without a group are hidden, as in --help.
[[nodiscard]] CommandText describe_command(const CLI::App& app);

}  // namespace translate

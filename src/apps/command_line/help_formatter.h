#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace translate {

/// The --help of all programs, wrapped to the window's width (100 columns at most; 80 where stdout is no terminal). The
/// examples with which a footer begins ("Examples:", up to the first blank line) come before the options. Which options
/// exclude or need each other is not listed: the messages say it.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `columns`: of the window; 0 takes those of the terminal on stdout.
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

/// A footer in its two parts: the examples (empty where it does not begin with them) and the notes behind them.
struct HelpFooter {
  std::string examples;
  std::string notes;
};

[[nodiscard]] HelpFooter split_footer(const std::string& footer);

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

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

}  // namespace translate

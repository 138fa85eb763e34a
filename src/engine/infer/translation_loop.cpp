#include "infer/translation_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/terminal.h"

namespace translate {

namespace {

/// The number of lines that are translated together: enough to sort them by length, few enough to show results early.
class LinesAtOnce {
 public:
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Adapts the number after count() lines took `seconds`.
  void adapt(double seconds) {
    const double wanted = static_cast<double>(count_) * kSeconds / std::max(seconds, 1e-3);
    count_ = static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(kFewest), static_cast<double>(kMost)));
  }

 private:
  static constexpr std::size_t kFirst = 2048;
  static constexpr std::size_t kFewest = 256;
  static constexpr std::size_t kMost = 16384;
  static constexpr double kSeconds = 3.0;

  std::size_t count_ = kFirst;
};

/// Returns the translations of lines, or the scores of pairs, in their order; lines with an error get an empty
/// translation. It moves the texts out of the lines.
std::vector<Translation> translate_lines(std::vector<InputLine>& lines, bool score, std::int64_t first_line,
                                         Translator& translator) {
  if (!score) {
    std::vector<SourceLine> prefixed;
    for (auto& line : lines) {
      prefixed.push_back({.text = std::move(line.source),
                          .target_prefix = std::move(line.target),
                          .glossary = std::move(line.glossary)});
    }
    return translator.translate_lines(prefixed, first_line);
  }
  std::vector<ScoringPair> pairs;
  for (auto& line : lines) {
    if (line.error.empty()) {
      pairs.push_back({.source = std::move(line.source), .target = std::move(line.target)});
    }
  }
  auto scored = translator.score(pairs, first_line);
  auto next = std::make_move_iterator(scored.begin());
  std::vector<Translation> translations;
  for (const auto& line : lines) {
    translations.push_back(line.error.empty() ? *next++ : Translation());
  }
  return translations;
}

}  // namespace

std::int64_t translate_input(TranslationInput& input, bool score, Translator& translator, TranslationOutput& output) {
  TranslationAccount account;
  LinesAtOnce at_once;
  std::int64_t first_line = input.next_line();
  std::int64_t errors = 0;
  for (auto lines = input.read(at_once.count()); !lines.empty(); lines = input.read(at_once.count())) {
    const auto start = std::chrono::steady_clock::now();
    const auto translations = translate_lines(lines, score, first_line, translator);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].error.empty()) {
        output.write(translations[i], lines[i].fields);
        account.add(translations[i]);
      } else {
        output.write_error(lines[i].error, lines[i].fields);
        ++errors;
      }
    }
    output.flush();
    if (!input.is_interactive()) {
      show_progress(account.progress_line(input.progress()));
    }
    first_line += std::ssize(lines);
    if (lines.size() == at_once.count()) {
      at_once.adapt(seconds.count());
    }
  }
  show_progress("");
  output.finish();
  log_debug(account.summary());
  return errors;
}

int report_unread_lines(std::int64_t errors, bool json, std::string_view done) {
  if (errors == 0) {
    return static_cast<int>(ExitCode::kDone);
  }
  log_error(fmt::format("{} could not be read ({}); the others are {}", counted(errors, "line"),
                        json ? "the output has an \"error\" in place of each" : "see above", done));
  return static_cast<int>(ExitCode::kUserMistake);
}

}  // namespace translate

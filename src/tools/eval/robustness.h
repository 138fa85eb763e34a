#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "eval/evaluation.h"

namespace translate::tools {

/// Translates lines, one translation for each.
using TranslateLines = std::function<std::vector<std::string>(const std::vector<std::string>& source)>;

/// A text with its translations, whose sources are changed.
struct RobustnessText {
  const std::vector<std::string>& source;
  std::vector<std::string> languages;                       ///< of each source: ISO 639 codes
  const std::vector<std::vector<std::string>>& references;  ///< [list][sentence]
  const std::vector<std::string>& hypotheses;               ///< of the sources as they are
};

/// Translates the sources as they are usually not written: in capitals, in title case, in small letters, without their
/// final stop, with typos in 5 % of their words, and with noise or a placeholder in them (see inserted_text.h; all
/// drawn by seeds of their own, the same for every model). Returns BLEU for the text as it is and for each change. The
/// changes are those of data.modifiers. `bleu` has the tokenization and whether case is ignored; for the three letter
/// cases it always is. Without final stops, references have none, either; they get the noise, and translations lose the
/// placeholder, before they are compared.
[[nodiscard]] std::vector<RobustnessResult> measure_robustness(const RobustnessText& text,
                                                               const TranslateLines& translate,
                                                               const MetricOptions& bleu);

/// Returns a table with a line for each change, for people; empty without any.
[[nodiscard]] std::string robustness_table(std::span<const RobustnessResult> results);

/// Returns the same as JSON, a list of objects.
[[nodiscard]] nlohmann::ordered_json robustness_json(std::span<const RobustnessResult> results);

}  // namespace translate::tools

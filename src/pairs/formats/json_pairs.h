#pragma once

#include <memory>
#include <string>

#include "corpora/corpus_reader.h"
#include "languages/language_names.h"
#include "pairs/pair_source.h"

namespace translate {

/// Where a line of JSON has the two sides.
struct PairKeys {
  bool has_translation = false;  ///< in an object "translation" of the line's object, as Hugging Face's data sets
  std::string source;
  std::string target;
  LanguageCodes languages = {};  ///< that the keys name; empty: unknown
};

/// Returns the keys by the first line of a file: those of sides_by_names, of the object or of its "translation". Throws
/// DataError, which calls the line `place`, if the line is no JSON object or has no such keys.
[[nodiscard]] PairKeys keys_of(const std::string& first_line, const LanguageCodes& wanted, const std::string& place);

/// The pairs of a file with a JSON object a line, whose further keys are ignored. Throws DataError if a line is
/// something else, or lacks one of the two texts.
[[nodiscard]] std::unique_ptr<PairSource> json_pairs(LineReader lines, const PairKeys& keys);

}  // namespace translate

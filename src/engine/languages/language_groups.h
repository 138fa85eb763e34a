#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "corpora/corpus_reader.h"
#include "languages/language_names.h"

namespace translate {

/// The sentences of a text that have the same two languages.
struct LanguageGroup {
  LanguageCodes languages;
  std::vector<std::size_t> sentences;  ///< their indices in the text, rising

  /// "en-fr"
  [[nodiscard]] std::string name() const { return languages.source + "-" + languages.target; }
};

/// Groups the pairs of a text by the languages of their corpora, in the order of these; `origin` is that of each pair
/// among `files`. Returns no group unless the corpora name their languages and there are several.
[[nodiscard]] std::vector<LanguageGroup> group_by_languages(const DataOptions& data, std::span<const CorpusFiles> files,
                                                            std::span<const PairOrigin> origin);

}  // namespace translate

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "config/options.h"
#include "metrics/bleu.h"

namespace translate::trainer {

/// A sample of parallel text that models are measured on.
struct ScoredText {
  std::vector<std::string> sources;
  std::vector<std::string> references;
};

/// Reads corpora, with a tag of the target language before the sources of those that name it; at most `most` pairs are
/// kept, in even distances.
[[nodiscard]] ScoredText read_scored_text(const std::vector<CorpusFiles>& corpora, std::size_t most);

/// The metrics of a set of translations.
struct TranslationScore {
  double bleu = 0.0;
  double chrf = 0.0;
};

/// Translates a text with a checkpoint and the search of its configuration, raw as translate-eval does, and compares
/// with the references. Throws what opening the checkpoint throws.
[[nodiscard]] TranslationScore score_translations(const std::filesystem::path& checkpoint, const ScoredText& text,
                                                  BleuTokenization tokenization);

}  // namespace translate::trainer

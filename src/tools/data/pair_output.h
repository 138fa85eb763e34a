#pragma once

#include <memory>
#include <string>

#include "languages/language_names.h"
#include "pairs/pair_source.h"

namespace translate::tools {

/// Where pairs are written to.
class PairOutput {
 public:
  PairOutput() = default;
  virtual ~PairOutput() = default;
  PairOutput(const PairOutput&) = delete;
  PairOutput& operator=(const PairOutput&) = delete;

  virtual void write(const SentencePair& pair) = 0;

  /// Gives the files their names; until then they end in ".partial".
  virtual void finish() = 0;
};

/// Opens an output: an empty path is a table with tabs on stdout, a path that ends in .tsv a table with tabs, as
/// OpusTrainer reads it, one that ends in .jsonl an object a line as data sets of Hugging Face have it
/// (`{"translation": {"de": ..., "en": ...}}`), and any other path the beginning of the names of two texts
/// (`PATH.de`, `PATH.en`). Throws RuntimeError if it cannot be created.
[[nodiscard]] std::unique_ptr<PairOutput> open_pair_output(const std::string& path, const LanguageCodes& languages);

}  // namespace translate::tools

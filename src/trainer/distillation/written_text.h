#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/json.h"
#include "config/options.h"
#include "corpora/corpus_reader.h"

namespace translate::trainer {

/// A pair of which a model has written one side.
struct WrittenPair {
  std::string source;
  std::string target;
  std::optional<double> score = {};  ///< how well its sides belong together; pairs are left out by it
};

/// A corpus that models write, and what it is made of.
struct WrittenTextJob {
  std::filesystem::path folder;
  std::vector<CorpusFiles> text;  ///< the pairs that are read
  Json about;             ///< how the corpus is made; a corpus in the folder that was made otherwise is an error
  double left_out = 0.0;  ///< the share of the pairs, those of the lowest scores, that is left out (0-1)
};

/// Writes the pairs for a block of those that are read. `number` is that of the block, from 0.
using BlockWriter = std::function<std::vector<WrittenPair>(std::span<const TextPair> block, std::uint64_t number)>;

/// Returns the corpus of a job: source.txt and target.txt in its folder, beside about.json. What is there already is
/// not written again: the work is done in blocks of pairs, each of which is kept in parts/ until all are there.
/// Progress and the time left are logged. Throws ConfigError if the folder holds a corpus that was made otherwise,
/// DataError as PairReader does and if no pair comes out, and RuntimeError if a file cannot be written.
[[nodiscard]] CorpusFiles write_text(const WrittenTextJob& job, const BlockWriter& write);

/// Returns how many pairs corpora have.
[[nodiscard]] std::uint64_t count_pairs(std::span<const CorpusFiles> text);

}  // namespace translate::trainer

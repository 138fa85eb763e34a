#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// Where a pair comes from.
struct PairOrigin {
  std::uint32_t corpus = 0;  ///< which of the corpora that were read, from 0
  std::uint32_t line = 0;    ///< which line of its two files, from 1

  bool operator==(const PairOrigin&) const = default;
};

/// Aligned sentences: the three vectors are equally long.
struct ParallelCorpus {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<PairOrigin> origin;

  [[nodiscard]] std::size_t size() const { return source.size(); }
};

/// The lines of a text file, plain or gzip (told apart by the content, not by the name). A byte order mark, CRLF line
/// ends and a missing newline at the end are read as if they were not there; only newlines end lines.
/// Throws DataError with file and line: missing file, invalid UTF-8, NUL bytes, damaged or truncated gzip.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);

/// The corpora one after the other. Throws DataError as read_lines, and where two files have unequal line counts.
[[nodiscard]] ParallelCorpus read_parallel_corpus(std::span<const CorpusFiles> files);

/// "train.en:12", for messages; `files` are the ones the corpus was read from.
[[nodiscard]] std::string describe_origin(const PairOrigin& origin, std::span<const CorpusFiles> files);

/// Pairs that were left out for one reason.
struct LeftOut {
  std::size_t count = 0;
  PairOrigin first;  ///< one to look at; meaningful where count > 0

  /// Counts one more.
  void add(const PairOrigin& origin);
};

/// Removes the pairs with an empty or blank side, keeping the order of the others.
LeftOut remove_blank_pairs(ParallelCorpus& corpus);

/// Moves a random share of the pairs out of `corpus` into the result; both keep their order. The draw depends on the
/// number of pairs, `fraction` (0-1) and `seed` alone, on every platform. At least one pair moves, and one stays.
/// Throws DataError for a corpus of fewer than two pairs.
[[nodiscard]] ParallelCorpus split_off(ParallelCorpus& corpus, double fraction, std::uint64_t seed);

}  // namespace translate

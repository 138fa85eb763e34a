#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

/// Aligned sentences in memory: the three vectors are equally long. For test sets and parts of larger corpora.
struct ParallelCorpus {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<PairOrigin> origin;

  [[nodiscard]] std::size_t size() const { return source.size(); }
};

/// The lines of a text file as LineReader gives them. Throws DataError as it does.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);

/// The corpora one after the other. Throws DataError as PairReader does.
[[nodiscard]] ParallelCorpus read_parallel_corpus(std::span<const CorpusFiles> files);

/// "train.en:12", for messages; `files` are the ones the corpus was read from.
[[nodiscard]] std::string describe_origin(const PairOrigin& origin, std::span<const CorpusFiles> files);

/// Pairs that were left out for one reason.
struct LeftOut {
  std::size_t count = 0;
  PairOrigin first;  ///< one to look at; meaningful where count > 0

  /// Counts one more.
  void add(const PairOrigin& origin);

  bool operator==(const LeftOut&) const = default;
};

}  // namespace translate

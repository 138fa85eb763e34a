#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/stable_file.h"
#include "data/encoded/corpus_file.h"

namespace translate::trainer {

enum class Side { kSource, kTarget };

/// The limits that a file of encoded pairs must keep to fit a training.
struct CorpusLimits {
  std::int64_t source_vocabulary = 0;  ///< every source id is below this
  std::int64_t target_vocabulary = 0;
  std::uint64_t corpora = 0;  ///< number of corpora that the pairs are from
  CorpusFormat format;
};

/// The totals of the pairs of a chunk.
struct ChunkTotals {
  std::int64_t source_subwords = 0;
  std::int64_t target_subwords = 0;
  std::int64_t longest_source = 0;  ///< subwords
  std::int64_t longest_target = 0;
};

/// Checks the bytes of a chunk: its checksum, that its offsets of subwords and texts rise from 0 to the chunk's counts,
/// that ids are below the vocabularies' sizes and that its corpus is within `limits`. Throws RuntimeError with the
/// reason.
[[nodiscard]] ChunkTotals check_chunk(std::string_view bytes, const CorpusChunk& chunk, const CorpusLimits& limits);

/// Throws RuntimeError if the chunks' totals differ from the statistics.
void check_totals(std::span<const ChunkTotals> chunks, const CorpusStatistics& statistics);

/// The subwords of both sides of a pair, without sos and eos.
struct PairSubwords {
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;

  bool operator==(const PairSubwords&) const = default;
};

/// Aligned sentences as subword ids, read on demand from the file that CorpusWriter wrote: they take some bytes of this
/// process's memory for each chunk of 65,536 pairs. The file may be replaced while it is in use. If it is changed in
/// place, reading throws RuntimeError. Several threads may read at once.
class EncodedCorpus {
 public:
  /// Opens the file and checks all of it, on kernel_threads() threads, which also brings it into the system's page
  /// cache: its checksums, its consistency (offsets that rise within their chunk, counts that match the pairs), and
  /// `limits`. Throws RuntimeError, naming the file, if a check fails or the file cannot be read.
  EncodedCorpus(const std::filesystem::path& path, const CorpusLimits& limits);

  /// The number of pairs.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(index_.statistics.pairs); }

  /// The subwords of a pair, without the check that the file is unchanged: the caller calls check_unchanged() after the
  /// last pair of a batch. (That is one system call for a batch instead of one for each pair.)
  [[nodiscard]] PairSubwords unchecked_subwords(std::size_t pair) const;
  /// Throws RuntimeError if the file has changed since it was opened.
  void check_unchanged() const;

  /// Subwords of one sentence, without sos and eos.
  [[nodiscard]] std::vector<std::int32_t> subwords(Side side, std::size_t pair) const;

  /// Calls take(pair, source, target) with the lengths of every `stride`-th pair, in order; lengths are in subwords,
  /// without sos and eos.
  void visit_lengths(std::size_t stride,
                     const std::function<void(std::size_t, std::int64_t, std::int64_t)>& take) const;

  /// Returns the number of pairs from each pair of text files, in their order.
  [[nodiscard]] std::vector<std::uint64_t> pairs_of_files() const;

  [[nodiscard]] bool has_text(Side side) const {
    return side == Side::kSource ? index_.format.source_text : index_.format.target_text;
  }

  /// The text of one sentence; has_text(side) must hold.
  [[nodiscard]] std::string text(Side side, std::size_t pair) const;

  /// The corpus and line that a pair comes from.
  [[nodiscard]] PairOrigin origin(std::size_t pair) const;

  [[nodiscard]] const CorpusStatistics& statistics() const { return index_.statistics; }

  /// The words of all sources (SeenWords::serialized); empty if the file does not have them.
  [[nodiscard]] const std::string& source_words() const { return index_.source_words; }

  /// The description of the file's inputs, as given to CorpusWriter::finish.
  [[nodiscard]] const std::string& made_from() const { return index_.made_from; }

 private:
  /// The place of a pair within its chunk.
  struct Place {
    const CorpusChunk& chunk;
    ChunkLayout layout;
    std::size_t row;
  };

  [[nodiscard]] Place place_of(std::size_t pair) const;
  /// Returns `count` numbers of a section of a chunk, from `first` on.
  [[nodiscard]] std::vector<std::uint32_t> numbers(const CorpusChunk& chunk, std::uint64_t part, std::uint64_t first,
                                                   std::uint64_t count) const;
  void verify() const;
  void check_index() const;

  StableFile file_;
  CorpusLimits limits_;
  CorpusIndex index_;
};

/// Returns the description of the inputs of a file of encoded pairs; checks nothing else. Throws RuntimeError, naming
/// the file, if it cannot be read or its index is damaged.
[[nodiscard]] std::string corpus_made_from(const std::filesystem::path& path);

}  // namespace translate::trainer

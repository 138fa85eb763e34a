#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/held_file.h"
#include "data/encoded/corpus_file.h"

namespace translate {

enum class Side { kSource, kTarget };

/// What a file of encoded pairs must be like to go with a training.
struct CorpusLimits {
  std::int64_t source_vocabulary = 0;  ///< every id of a source is below
  std::int64_t target_vocabulary = 0;
  std::uint64_t corpora = 0;  ///< how many corpora the pairs are from
  CorpusFormat format;
};

/// What the pairs of a chunk add up to.
struct ChunkTotals {
  std::int64_t source_subwords = 0;
  std::int64_t target_subwords = 0;
  std::int64_t longest_source = 0;  ///< subwords
  std::int64_t longest_target = 0;
};

/// Checks the bytes of a chunk: its checksum, that bounds and the begins of texts rise from 0 to the chunk's counts,
/// that ids are below the vocabularies' sizes and its corpus is one of `limits`. Throws RuntimeError saying what is
/// wrong.
[[nodiscard]] ChunkTotals check_chunk(std::string_view bytes, const CorpusChunk& chunk, const CorpusLimits& limits);

/// Throws RuntimeError where the chunks together are not what the statistics say.
void check_totals(std::span<const ChunkTotals> chunks, const CorpusStatistics& statistics);

/// The subwords of both sides of a pair, without sos and eos.
struct PairSubwords {
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
};

/// Aligned sentences as subword ids, read from the file that CorpusWriter wrote when they are asked for: of this
/// process's own memory they take some bytes a chunk of 65,536 pairs. The file may be replaced while it is in use. If
/// it is changed in place, reading throws RuntimeError. Several threads may read at once.
class EncodedCorpus {
 public:
  /// Opens the file and checks all of it, on LibTorch's number of threads, which also brings it into the system's
  /// cache: its checksums, that what is within them is consistent (bounds that rise within their chunk, counts that are
  /// those of the pairs), and that it keeps `limits`. Throws RuntimeError, naming the file, where it does not or cannot
  /// be read.
  EncodedCorpus(const std::filesystem::path& path, const CorpusLimits& limits);

  /// The number of pairs.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(index_.statistics.pairs); }

  /// The subwords of a pair, without the check that the file is unchanged: check_unchanged() is due after the last pair
  /// of a batch. (One call to the system for a batch, in place of one for each pair.)
  [[nodiscard]] PairSubwords unchecked_subwords(std::size_t pair) const;
  /// Throws RuntimeError where the file has changed since it was opened.
  void check_unchanged() const;

  /// Subwords of one sentence, without sos and eos.
  [[nodiscard]] std::vector<std::int32_t> subwords(Side side, std::size_t pair) const;

  /// Calls take(pair, source, target) with the lengths of every `stride`-th pair, in their order; in subwords, without
  /// sos and eos.
  void visit_lengths(std::size_t stride,
                     const std::function<void(std::size_t, std::int64_t, std::int64_t)>& take) const;

  [[nodiscard]] bool has_text(Side side) const {
    return side == Side::kSource ? index_.format.source_text : index_.format.target_text;
  }

  /// The text of one sentence; has_text(side) must hold.
  [[nodiscard]] std::string text(Side side, std::size_t pair) const;

  /// Which line of which training corpus a pair comes from.
  [[nodiscard]] PairOrigin origin(std::size_t pair) const;

  [[nodiscard]] const CorpusStatistics& statistics() const { return index_.statistics; }

  /// From what the file was made, as CorpusWriter::finish was told.
  [[nodiscard]] const std::string& made_from() const { return index_.made_from; }

 private:
  /// A pair within its chunk.
  struct Place {
    const CorpusChunk& chunk;
    ChunkLayout layout;
    std::size_t row;
  };

  [[nodiscard]] Place place_of(std::size_t pair) const;
  /// `count` numbers of a part of a chunk, from the `first` on.
  [[nodiscard]] std::vector<std::uint32_t> numbers(const CorpusChunk& chunk, std::uint64_t part, std::uint64_t first,
                                                   std::uint64_t count) const;
  void verify() const;
  void check_index() const;

  StableFile file_;
  CorpusLimits limits_;
  CorpusIndex index_;
};

/// From what a file of encoded pairs was made; nothing else of it is checked. Throws RuntimeError, naming the file,
/// where it cannot be read or its index is damaged.
[[nodiscard]] std::string corpus_made_from(const std::filesystem::path& path);

}  // namespace translate

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/output_file.h"
#include "corpora/corpus_reader.h"

namespace translate::trainer {

/// The statistics of an encoded corpus. Subwords are counted without sos and eos.
struct CorpusStatistics {
  std::uint64_t pairs = 0;
  std::int64_t source_subwords = 0;
  std::int64_t target_subwords = 0;
  std::int64_t longest_source = 0;  ///< subwords
  std::int64_t longest_target = 0;
  LeftOut blank;     ///< an empty or blank side
  LeftOut too_long;  ///< a side beyond LengthLimits::max_length
  LeftOut uneven;    ///< lengths beyond LengthLimits::max_length_ratio
  LeftOut empty;     ///< no subword on one side that is not blank: e.g. characters that normalisation removes

  bool operator==(const CorpusStatistics&) const = default;
};

/// The storage format of encoded pairs.
struct CorpusFormat {
  bool wide_ids = false;     ///< subword ids of 4 bytes instead of 2
  bool source_text = false;  ///< the source text is kept beside its subwords
  bool target_text = false;

  bool operator==(const CorpusFormat&) const = default;
};

/// Consecutive pairs of one corpus, which lie together in the file.
struct CorpusChunk {
  std::uint64_t offset = 0;      ///< offset in the file
  std::uint32_t crc32 = 0;       ///< of its bytes
  std::uint32_t corpus = 0;      ///< index of the corpus of its pairs
  std::uint64_t first_pair = 0;  ///< number of pairs before it
  std::uint64_t pairs = 0;
  std::uint64_t subwords = 0;           ///< of both sides
  std::uint64_t source_text_bytes = 0;  ///< 0 if no text is kept
  std::uint64_t target_text_bytes = 0;

  bool operator==(const CorpusChunk&) const = default;
};

/// The offsets of the sections of a chunk, in bytes from its begin, in their order:
struct ChunkLayout {
  ChunkLayout(const CorpusChunk& chunk, const CorpusFormat& format);

  std::uint64_t bounds =
      0;                    ///< uint32, two for each pair and one more: offsets of source and target among the subwords
  std::uint64_t lines = 0;  ///< uint32 each: line number in the text files
  std::uint64_t source_begins =
      0;  ///< uint32, one for each pair and one more: offsets of the texts; absent if no text is kept
  std::uint64_t target_begins = 0;
  std::uint64_t subwords = 0;  ///< uint16 or uint32 each: a pair's source, then its target
  std::uint64_t source_text = 0;
  std::uint64_t target_text = 0;
  std::uint64_t size = 0;  ///< of the chunk, padded to a multiple of 8
};

/// The index at the end of the file, which describes its content.
struct CorpusIndex {
  CorpusFormat format;
  std::string made_from;  ///< description of the inputs; differs for another text, tokenizer or limit
  CorpusStatistics statistics;
  std::vector<CorpusChunk> chunks;
  std::string source_words = {};  ///< SeenWords::serialized of all sources; empty: they were not collected

  bool operator==(const CorpusIndex&) const = default;
};

/// The first bytes of such a file, which differ between versions of the format.
inline constexpr std::string_view kCorpusFileBegin = "PAIRS001";

/// Returns the end of the file of a corpus whose chunks fill everything before `offset`: the words, the index as JSON,
/// then its offset, size and CRC-32.
[[nodiscard]] std::string format_corpus_index(const CorpusIndex& index, std::uint64_t offset);

/// Reads the index of a file of `size` bytes with read(offset, to), which fills `to`. Throws RuntimeError with the
/// reason if the file is truncated, damaged, or of another kind, or if the index describes more than the file holds;
/// does not read the chunks themselves.
[[nodiscard]] CorpusIndex read_corpus_index(std::uint64_t size,
                                            const std::function<void(std::uint64_t offset, std::span<char> to)>& read);

/// A pair to be written into a file of encoded pairs.
struct EncodedPair {
  PairOrigin origin;
  std::span<const std::int32_t> source;  ///< subwords, without sos and eos
  std::span<const std::int32_t> target;
  std::string_view source_text;  ///< kept if the format says so
  std::string_view target_text;
};

/// Writes a file of encoded pairs, which EncodedCorpus reads, pair by pair, holding one chunk in memory. The file is
/// written as `<path>.partial` and renamed at the end: it is complete or absent. Without finish() the destructor
/// removes the partial file.
class CorpusWriter {
 public:
  /// Throws RuntimeError if the file cannot be written, as the other functions do (a full disk).
  CorpusWriter(const std::filesystem::path& path, const CorpusFormat& format);
  ~CorpusWriter();
  CorpusWriter(const CorpusWriter&) = delete;
  CorpusWriter& operator=(const CorpusWriter&) = delete;

  /// Throws DataError for more than 2^32 - 1 pairs.
  void append(const EncodedPair& pair);

  /// The statistics; the caller counts the pairs that are left out, append() counts the others.
  [[nodiscard]] CorpusStatistics& statistics() { return index_.statistics; }

  /// Keeps the words of all sources (SeenWords::serialized).
  void set_source_words(std::string words) { index_.source_words = std::move(words); }

  /// Writes the index, flushes to disk and renames the file to its final name.
  void finish(const std::string& made_from);

 private:
  void append_subwords(std::span<const std::int32_t> subwords);
  void write_chunk();

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::optional<OutputFile> file_;
  CorpusIndex index_;
  std::uint64_t offset_ = 0;
  // The chunk being filled.
  std::uint32_t corpus_ = 0;
  std::vector<std::uint32_t> bounds_{0};
  std::vector<std::uint32_t> lines_;
  std::vector<std::uint32_t> source_begins_{0};
  std::vector<std::uint32_t> target_begins_{0};
  std::string subwords_;  // in the format of the file
  std::string source_text_;
  std::string target_text_;
};

}  // namespace translate::trainer

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "data/corpus_reader.h"

namespace translate {

/// What was found while a corpus was encoded. Subwords are counted without sos and eos.
struct CorpusStatistics {
  std::uint64_t pairs = 0;
  std::int64_t source_subwords = 0;
  std::int64_t target_subwords = 0;
  std::int64_t longest_source = 0;  ///< subwords
  std::int64_t longest_target = 0;
  LeftOut blank;     ///< an empty or blank side
  LeftOut too_long;  ///< a side beyond LengthLimits::max_length
  LeftOut uneven;    ///< lengths beyond LengthLimits::max_length_ratio
  LeftOut empty;     ///< no subword on one side, though not blank: e.g. characters that normalisation removes

  bool operator==(const CorpusStatistics&) const = default;
};

/// How the pairs of a file of encoded pairs are kept.
struct CorpusFormat {
  bool wide_ids = false;     ///< subword ids of 4 bytes in place of 2
  bool source_text = false;  ///< the text of the sources is kept beside their subwords
  bool target_text = false;

  bool operator==(const CorpusFormat&) const = default;
};

/// Consecutive pairs of one corpus, which lie together in the file.
struct CorpusChunk {
  std::uint64_t offset = 0;      ///< where it begins in the file
  std::uint32_t crc32 = 0;       ///< of its bytes
  std::uint32_t corpus = 0;      ///< which of the corpora its pairs are from
  std::uint64_t first_pair = 0;  ///< how many pairs lie before it
  std::uint64_t pairs = 0;
  std::uint64_t subwords = 0;           ///< of both sides
  std::uint64_t source_text_bytes = 0;  ///< 0 where no text is kept
  std::uint64_t target_text_bytes = 0;

  bool operator==(const CorpusChunk&) const = default;
};

/// Where the parts of a chunk lie, in bytes from its begin, one after the other:
struct ChunkLayout {
  ChunkLayout(const CorpusChunk& chunk, const CorpusFormat& format);

  std::uint64_t bounds = 0;         ///< uint32, two a pair and one: where source and target begin among the subwords
  std::uint64_t lines = 0;          ///< uint32 each: the line of the text files
  std::uint64_t source_begins = 0;  ///< uint32, one a pair and one: where the texts begin; nothing where none is kept
  std::uint64_t target_begins = 0;
  std::uint64_t subwords = 0;  ///< uint16 or uint32 each: a pair's source, then its target
  std::uint64_t source_text = 0;
  std::uint64_t target_text = 0;
  std::uint64_t size = 0;  ///< of the whole, filled up to a multiple of 8
};

/// The end of the file, which says what stands before.
struct CorpusIndex {
  CorpusFormat format;
  std::string made_from;  ///< from what the file was made; another text, tokenizer or limit gives another one
  CorpusStatistics statistics;
  std::vector<CorpusChunk> chunks;

  bool operator==(const CorpusIndex&) const = default;
};

/// The first bytes of such a file; another version of the format begins with others.
inline constexpr std::string_view kCorpusFileBegin = "PAIRS001";

/// As many as a 32-bit number can count.
inline constexpr std::uint64_t kMostPairs = std::numeric_limits<std::uint32_t>::max();

/// The bytes that end the file of a corpus whose chunks take up everything before `offset`: the index as JSON, and
/// where it stands with its size and CRC-32.
[[nodiscard]] std::string format_corpus_index(const CorpusIndex& index, std::uint64_t offset);

/// Reads the index of a file of `size` bytes with read(offset, to), which fills `to`. Throws RuntimeError saying what
/// is wrong where the file is cut, damaged, or no such file, or where the index tells of more than the file holds; the
/// chunks' own bytes are not looked at.
[[nodiscard]] CorpusIndex read_corpus_index(std::uint64_t size,
                                            const std::function<void(std::uint64_t offset, std::span<char> to)>& read);

/// A pair on its way into a file of encoded pairs.
struct EncodedPair {
  PairOrigin origin;
  std::span<const std::int32_t> source;  ///< subwords, without sos and eos
  std::span<const std::int32_t> target;
  std::string_view source_text;  ///< kept where the format says so
  std::string_view target_text;
};

/// Writes a file of encoded pairs (EncodedCorpus reads it) pair by pair, holding one chunk of it. The file grows under
/// the name `<path>.partial` and gets its own at the end: it is whole or it is not there. Without finish() the
/// destructor removes what was written.
class CorpusWriter {
 public:
  /// Throws RuntimeError where the file cannot be written (so do the others: a full disk).
  CorpusWriter(const std::filesystem::path& path, const CorpusFormat& format);
  ~CorpusWriter();
  CorpusWriter(const CorpusWriter&) = delete;
  CorpusWriter& operator=(const CorpusWriter&) = delete;

  /// Throws DataError for more than 2^32 - 1 pairs.
  void append(const EncodedPair& pair);

  /// Counts of left-out pairs go here; the others are counted by append().
  [[nodiscard]] CorpusStatistics& statistics() { return index_.statistics; }

  /// Writes the index, flushes to disk and puts the file in its place.
  void finish(const std::string& made_from);

 private:
  void append_subwords(std::span<const std::int32_t> subwords);
  void write_chunk();

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::optional<OutputFile> file_;
  CorpusIndex index_;
  std::uint64_t offset_ = 0;
  // The chunk that is being filled.
  std::uint32_t corpus_ = 0;
  std::vector<std::uint32_t> bounds_{0};
  std::vector<std::uint32_t> lines_;
  std::vector<std::uint32_t> source_begins_{0};
  std::vector<std::uint32_t> target_begins_{0};
  std::string subwords_;  // as they lie in the file
  std::string source_text_;
  std::string target_text_;
};

}  // namespace translate

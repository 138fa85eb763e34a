#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/core/output_file.h"
#include "translate/data/corpus_file.h"

namespace translate {

/// A pair on its way into a file of encoded pairs.
struct EncodedPair {
  PairOrigin origin;
  std::span<const std::int32_t> source;  ///< pieces, without sos and eos
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
  void append_pieces(std::span<const std::int32_t> pieces);
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
  std::string pieces_;  // as they lie in the file
  std::string source_text_;
  std::string target_text_;
};

}  // namespace translate

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "translate/core/mapped_file.h"
#include "translate/data/corpus_file.h"

namespace translate {

enum class Side { kSource, kTarget };

/// Aligned sentences as piece ids, used straight from the file that CorpusWriter wrote: of this process's own memory
/// they take some bytes a chunk of 65,536 pairs. The file must not be changed in place; it may be replaced.
class EncodedCorpus {
 public:
  /// Maps the file and checks all of it against its checksums, on LibTorch's number of threads, which also brings it
  /// into the system's cache. Throws RuntimeError, naming the file, where it cannot be read, is cut or damaged.
  explicit EncodedCorpus(const std::filesystem::path& path);

  /// The number of pairs.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(index_.statistics.pairs); }

  /// Pieces of one sentence, without sos and eos.
  [[nodiscard]] std::vector<std::int32_t> pieces(Side side, std::size_t pair) const;

  /// How many they are.
  [[nodiscard]] std::int64_t length(Side side, std::size_t pair) const;

  [[nodiscard]] bool has_text(Side side) const {
    return side == Side::kSource ? index_.format.source_text : index_.format.target_text;
  }

  /// The text of one sentence, good as long as the object; has_text(side) must hold.
  [[nodiscard]] std::string_view text(Side side, std::size_t pair) const;

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
  [[nodiscard]] const std::uint32_t* numbers(const Place& place, std::uint64_t part) const;
  /// Where one sentence's pieces begin and end in its chunk: the first number and the one behind it.
  [[nodiscard]] const std::uint32_t* piece_bounds(const Place& place, Side side) const;
  [[nodiscard]] bool chunk_is_whole(std::size_t chunk) const;
  void verify() const;

  MappedFile file_;
  CorpusIndex index_;
};

}  // namespace translate

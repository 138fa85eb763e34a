#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// A text file as it was when it was read.
struct TextFile {
  std::filesystem::path path;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< in the file system's own units; 0: cannot be relied on
  std::uint32_t crc32 = 0;    ///< of its bytes, packed where it is packed

  bool operator==(const TextFile&) const = default;
};

/// A corpus whose every line was read and found right.
struct CheckedCorpus {
  TextFile source;
  TextFile target;
  std::uint64_t lines = 0;  ///< of either file
  std::uint64_t blank = 0;  ///< pairs with an empty or blank side

  bool operator==(const CheckedCorpus&) const = default;
};

/// Several of them.
struct CheckedText {
  std::vector<CheckedCorpus> corpora;

  [[nodiscard]] std::uint64_t lines() const;
  [[nodiscard]] std::uint64_t blank() const;

  /// Equal for texts of the same content, wherever they lie: size and CRC-32 of each file.
  [[nodiscard]] std::string fingerprint() const;
};

/// What is known of text that was read before, kept in a file (text.json), so that it need not all be read at each
/// start. A file whose size and modification time are those of before is taken to be the same; one of another time, or
/// at another path, is read to compare its CRC-32; only text of another content is checked line by line.
class TextRecord {
 public:
  /// Reads the record; one that is missing or damaged knows nothing.
  explicit TextRecord(std::filesystem::path file);

  /// Checks the corpora. Throws DataError as PairReader does.
  [[nodiscard]] CheckedText check(std::span<const CorpusFiles> corpora);

  /// Writes the record with all that was checked since, making its folder where it is missing. Throws RuntimeError.
  void save() const;

 private:
  [[nodiscard]] CheckedCorpus check(const CorpusFiles& files);

  std::filesystem::path file_;
  std::vector<CheckedCorpus> known_;
  bool changed_ = false;
};

}  // namespace translate

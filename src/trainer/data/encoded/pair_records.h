#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/stable_file.h"

namespace translate::trainer {

/// The kinds of records, which tell their files apart.
struct RecordKind {
  std::string_view begin;  ///< the first eight bytes of a file
  std::string_view name;   ///< for messages: "links"
};

/// Gathers records of four bytes for each pair of an encoded corpus, and writes the file that PairRecords reads. Takes
/// 4 bytes for each record and 8 for each pair, and twice that while it writes.
class PairRecordsWriter {
 public:
  /// Appends the records of the next pair.
  void append(std::span<const std::uint32_t> records);

  /// The number of records so far.
  [[nodiscard]] std::size_t size() const { return records_.size(); }

  /// Writes the file, which is complete or absent. `made_from`: a description of the inputs. Throws RuntimeError.
  void write(const std::filesystem::path& path, const RecordKind& kind, const std::string& made_from) const;

 private:
  std::vector<std::uint64_t> ends_;  ///< for each pair, the number of records of it and of those before it
  std::vector<std::uint32_t> records_;
};

/// Records of four bytes for each pair of an encoded corpus, in a file. Any number of threads may read. A file that
/// changes while it is open gives an error (StableFile).
class PairRecords {
 public:
  /// Opens a file and reads all of it once. Throws RuntimeError, naming the file, if it is damaged, of another kind, or
  /// does not have the records of so many pairs.
  PairRecords(const std::filesystem::path& path, std::size_t pairs, const RecordKind& kind);

  /// Returns the records of a pair. Throws RuntimeError if the file has changed.
  [[nodiscard]] std::vector<std::uint32_t> of(std::size_t pair) const;

  /// The number of records of all pairs.
  [[nodiscard]] std::uint64_t size() const { return records_; }

  /// The description of the file's inputs, as given to PairRecordsWriter::write.
  [[nodiscard]] const std::string& made_from() const { return made_from_; }

 private:
  void read_header(std::size_t pairs);

  StableFile file_;
  RecordKind kind_;
  std::uint64_t records_ = 0;
  std::uint64_t ends_at_ = 0;     ///< offset of the ends
  std::uint64_t records_at_ = 0;  ///< offset of the records
  std::string made_from_;
};

/// What is looked for in a file of records, and what is logged if it is not there.
struct WantedRecords {
  RecordKind kind;
  std::size_t pairs = 0;
  std::function<bool(const std::string& made_from)> fits;  ///< whether they are of these inputs
  std::string_view subject;                                ///< of the log: "alignment"
  std::string_view again;  ///< what happens then: "the training pairs are aligned again"; empty: nothing is logged
};

/// Returns the records in a file; nothing if it is missing, damaged, or was made from other inputs, which is logged.
[[nodiscard]] std::optional<PairRecords> open_records(const std::filesystem::path& file, const WantedRecords& wanted);

}  // namespace translate::trainer

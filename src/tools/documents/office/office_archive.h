#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "segments/document_formats.h"

struct zip;         // libzip's
struct zip_source;  // libzip's

namespace translate::tools {

/// A zip archive in memory whose entries are read and replaced.
class OfficeArchive {
 public:
  /// `bytes`: must outlive the archive. `name`: for messages. `most_unpacked`: the bytes that may be read in all.
  /// Throws DataError if the bytes are no archive.
  OfficeArchive(const std::string& bytes, std::string name, std::size_t most_unpacked = kLargestDocument);
  OfficeArchive(std::string&&, std::string, std::size_t = kLargestDocument) = delete;
  ~OfficeArchive();
  OfficeArchive(const OfficeArchive&) = delete;
  OfficeArchive& operator=(const OfficeArchive&) = delete;

  /// The names of the entries, in their order.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Reads an entry. Throws DataError if it is missing, damaged or encrypted, or if more than `most_unpacked` bytes
  /// would have been read of this archive.
  [[nodiscard]] std::string read(const std::string& name);

  /// Returns the archive with other contents of some entries; all others stay as they are packed. To be called once.
  /// Throws DataError if libzip cannot write it.
  [[nodiscard]] std::string with_entries(const std::map<std::string, std::string>& contents);

 private:
  [[noreturn]] void fail(const std::string& problem) const;

  std::string name_;
  zip_source* source_ = nullptr;
  zip* archive_ = nullptr;
  std::size_t most_unpacked_;
  std::size_t unpacked_ = 0;
};

}  // namespace translate::tools

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/document.h"

namespace translate {

/// A document is held in memory, with some multiple of its size.
inline constexpr std::size_t kLargestDocument = std::size_t{1} << 26U;

/// Whether the texts of regions that readers of a page edit (contenteditable) are translated, too.
enum class EditableRegions { kStay, kTranslated };

/// A file to read as a document.
struct DocumentInput {
  std::string bytes;
  std::string name;                       ///< for messages: the path, or "stdin"
  std::string source_language = {};       ///< a code such as "en" (empty: unknown)
  std::string target_language = {};       ///< of the translations (empty: unknown)
  std::vector<std::string> columns = {};  ///< of a table: names of columns in its first line, or numbers from 1
  EditableRegions editable = EditableRegions::kStay;  ///< of a page
  std::size_t most_unpacked = kLargestDocument;       ///< bytes that an archive may have, unpacked
};

/// A format of documents as users see it.
struct DocumentFormat {
  std::string_view name;                   ///< the value of --format
  std::string_view title;                  ///< for messages: "HTML"
  std::vector<std::string_view> suffixes;  ///< of files that are read so unless told otherwise, in small letters
  bool is_packed = false;                  ///< the file is no text, but an archive
};

/// Reads a document of one format. Throws DataError with the file and, where it is known, the line if the bytes are not
/// of this format, are damaged, or hold what would need memory without bounds.
struct DocumentReader {
  std::string_view format;  ///< DocumentFormat::name
  std::unique_ptr<Document> (*read)(DocumentInput input);
};

/// The formats that documents can have, whether or not this program was built with their readers.
[[nodiscard]] std::span<const DocumentFormat> document_formats();

/// Returns the readers that are linked into this library. The engine itself has none;
/// documents/linked_documents.cpp replaces this function where it is linked.
[[nodiscard]] std::span<const DocumentReader> linked_documents();

/// Returns the format of a name, such as "html". Throws ConfigError, which lists the names, if there is none.
[[nodiscard]] const DocumentFormat& find_document_format(std::string_view name);

/// Returns the format that a file has by its suffix, in any case; null if the suffix is of none.
[[nodiscard]] const DocumentFormat* document_format_of(const std::filesystem::path& path);

/// Whether this program was built with the reader of a format.
[[nodiscard]] bool has_document_reader(const DocumentFormat& format);

/// Removes the byte order mark at the beginning of a file of a format, and returns it (empty: there is none). Of a
/// format that is not packed, throws DataError, with `name` and the line, if the bytes are of another format, not UTF-8
/// or hold a NUL byte.
[[nodiscard]] std::string take_byte_order_mark(const DocumentFormat& format, const std::string& name,
                                               std::string& bytes);

/// Reads a document. Throws ConfigError if this program was built without the format's reader, otherwise what
/// DocumentReader::read throws.
[[nodiscard]] std::unique_ptr<Document> read_document(const DocumentFormat& format, DocumentInput input);

}  // namespace translate

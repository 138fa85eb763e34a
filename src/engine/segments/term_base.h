#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "segments/document_formats.h"
#include "segments/glossary.h"

namespace translate {

/// A term of a file, and the line that its source stands in, from 1.
struct PlacedTerm {
  GlossaryTerm term;
  std::size_t line = 0;

  bool operator==(const PlacedTerm&) const = default;
};

/// Reads a term base (TBX): the terms from input.source_language to input.target_language, both not empty, as often as
/// they are there, in the order of the file. The bytes are valid UTF-8. Throws DataError with the file and, where it is
/// known, the line if they are not TBX, if a term of these languages cannot be used (fault_of), or if no concept has
/// terms of both.
using TermBaseReader = std::vector<PlacedTerm> (*)(const DocumentInput& input);

/// Returns the reader of TBX that is linked into this library. The engine itself has none, and this function returns
/// null; documents/linked_documents.cpp replaces it where it is linked.
[[nodiscard]] TermBaseReader linked_term_base_reader();

/// Whether a file is read as TBX, by its suffix: .tbx or .tbx.gz, in any case.
[[nodiscard]] bool is_term_base(const std::filesystem::path& path);

/// Reads a term base with the reader that is linked, the byte order mark and all. Throws ConfigError if there is none,
/// or if a language is not known; DataError if the bytes are not UTF-8, and what the reader throws.
[[nodiscard]] std::vector<PlacedTerm> read_term_base(DocumentInput input);

}  // namespace translate

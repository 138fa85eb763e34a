#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "decoding/translator.h"
#include "segments/document.h"
#include "segments/document_formats.h"

namespace translate {

/// The options for files that have a format of their own.
struct DocumentOptions {
  std::string format = {};                ///< a name of document_formats(), or "text" (empty: by the suffix)
  std::vector<std::string> columns = {};  ///< of a table: the columns to translate
  bool editable = false;                  ///< of HTML: also translate what readers edit
};

/// Adds --format, --column and --editable. `options` must live as long as the app.
void add_document_options(CLI::App& app, DocumentOptions& options);

/// Returns the format in which a file is read; null: as lines. `path`: the file (empty: stdin, which has no suffix).
/// `wants_lines`: another option is about lines, so that a suffix means nothing. Logs a format that the suffix tells.
/// Throws ConfigError if there is no such format, or the options contradict each other.
[[nodiscard]] const DocumentFormat* choose_document_format(const DocumentOptions& options, const std::string& path,
                                                           bool wants_lines);

/// A file that is read whole.
struct DocumentFile {
  std::string name;             ///< for messages
  std::string byte_order_mark;  ///< empty if there is none
  std::string bytes;            ///< everything behind it; of a text, valid UTF-8 without NUL bytes
};

/// Reads a file of a format, or stdin if `path` is empty. Throws DataError if it is larger than kLargestDocument, or if
/// it should be text and is not: with the line, if it is not UTF-8 or holds a NUL byte; and otherwise as LineStream
/// does.
[[nodiscard]] DocumentFile read_document_file(const DocumentFormat& format, const std::string& path);

/// Translates the texts of a document, in their order; shows the progress, and warns as translate_input does. Throws
/// the errors of Translator.
[[nodiscard]] std::vector<AlignedText> translate_texts(const Document& document, Translator& translator);

}  // namespace translate

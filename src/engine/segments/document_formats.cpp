#include "segments/document_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text_format.h"
#include "core/utf8.h"

namespace translate {

std::span<const DocumentFormat> document_formats() {
  static const std::vector<DocumentFormat> formats = {
      {.name = "html", .title = "HTML", .suffixes = {".html", ".htm", ".xhtml"}},
      {.name = "markdown", .title = "Markdown", .suffixes = {".md", ".markdown"}},
      {.name = "srt", .title = "subtitles (SRT)", .suffixes = {".srt"}},
      {.name = "vtt", .title = "subtitles (WebVTT)", .suffixes = {".vtt"}},
      {.name = "json", .title = "JSON of strings", .suffixes = {".json", ".arb"}},
      {.name = "yaml", .title = "YAML of strings", .suffixes = {".yaml", ".yml"}},
      {.name = "po", .title = "gettext PO", .suffixes = {".po", ".pot"}},
      {.name = "android", .title = "strings of Android", .suffixes = {}},
      {.name = "xliff", .title = "XLIFF", .suffixes = {".xlf", ".xliff"}},
      {.name = "tmx", .title = "TMX", .suffixes = {".tmx"}},
      {.name = "csv", .title = "a table (CSV)", .suffixes = {".csv"}},
      {.name = "tsv", .title = "a table (TSV)", .suffixes = {".tsv"}},
      {.name = "odt", .title = "OpenDocument", .suffixes = {".odt"}, .is_packed = true},
      {.name = "docx", .title = "a document of Word", .suffixes = {".docx"}, .is_packed = true}};
  return formats;
}

[[gnu::weak]] std::span<const DocumentReader> linked_documents() { return {}; }

const DocumentFormat& find_document_format(std::string_view name) {
  const auto formats = document_formats();
  const auto found = std::ranges::find(formats, name, &DocumentFormat::name);
  if (found == formats.end()) {
    std::vector<std::string_view> names = {"text"};
    std::ranges::transform(formats, std::back_inserter(names), &DocumentFormat::name);
    throw ConfigError(fmt::format("--format {} is unknown; the formats are {}", name, fmt::join(names, ", ")));
  }
  return *found;
}

const DocumentFormat* document_format_of(const std::filesystem::path& path) {
  if (ascii_lower(path.filename().string()) == "strings.xml") {
    return &find_document_format("android");
  }
  const auto suffix = ascii_lower(path.extension().string());
  for (const auto& format : document_formats()) {
    if (std::ranges::find(format.suffixes, suffix) != format.suffixes.end()) {
      return &format;
    }
  }
  return nullptr;
}

namespace {

/// Returns the reader of a format that is linked; null if there is none.
const DocumentReader* find_reader(const DocumentFormat& format) {
  const auto readers = linked_documents();
  const auto reader = std::ranges::find(readers, format.name, &DocumentReader::format);
  return reader == readers.end() ? nullptr : &*reader;
}

/// The number of the line that a byte of a text stands in, from 1.
std::ptrdiff_t line_of(std::string_view text, std::size_t at) {
  return std::ranges::count(text.substr(0, at), '\n') + 1;
}

}  // namespace

bool has_document_reader(const DocumentFormat& format) { return find_reader(format) != nullptr; }

std::string take_byte_order_mark(const DocumentFormat& format, const std::string& name, std::string& bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (format.is_packed) {
    return "";
  }
  if (const auto other = other_format(std::string_view(bytes).substr(0, kFormatBytes))) {
    throw DataError(fmt::format("{}: {}", name, *other));
  }
  std::string mark;
  if (bytes.starts_with(kByteOrderMark)) {
    mark = kByteOrderMark;
    bytes.erase(0, mark.size());
  }
  if (const auto nul = bytes.find('\0'); nul != std::string::npos) {
    throw DataError(fmt::format("{}: line {}: a NUL byte; expected text", name, line_of(bytes, nul)));
  }
  if (const auto invalid = first_invalid_utf8(bytes)) {
    throw DataError(fmt::format("{}: line {}: not UTF-8; convert the file, for instance with iconv -t UTF-8", name,
                                line_of(bytes, *invalid)));
  }
  return mark;
}

std::unique_ptr<Document> read_document(const DocumentFormat& format, DocumentInput input) {
  const auto* const reader = find_reader(format);
  if (reader == nullptr) {
    throw ConfigError(
        fmt::format("{}: this program was built without the reader of {} (TRANSLATE_DOCUMENTS in docs/install.md); "
                    "--format text translates the lines as they are",
                    input.name, format.title));
  }
  return reader->read(std::move(input));
}

}  // namespace translate

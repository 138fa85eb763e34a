#include "segments/document_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
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

std::unique_ptr<Document> read_document(const DocumentFormat& format, DocumentInput input) {
  const auto readers = linked_documents();
  const auto reader = std::ranges::find(readers, format.name, &DocumentReader::format);
  if (reader == readers.end()) {
    throw ConfigError(
        fmt::format("{}: this program was built without the reader of {} (TRANSLATE_DOCUMENTS in docs/install.md); "
                    "--format text translates the lines as they are",
                    input.name, format.title));
  }
  return reader->read(std::move(input));
}

}  // namespace translate

#include "serve/request_documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/html/html_document.h"
#include "documents/parts_document.h"
#include "documents/text_parts.h"
#include "segments/document_formats.h"

namespace translate::tools {

namespace {

/// The format of files that are translated line by line.
const DocumentFormat& plain_text() {
  static const DocumentFormat format = {.name = "text", .title = "plain text", .suffixes = {".txt"}};
  return format;
}

/// Returns the format of a file. Throws RequestError (400), which names the known ones, if this server has none.
const DocumentFormat& format_of(const std::string& name) {
  const auto* format = document_format_of(name);
  if (format == nullptr && ascii_lower(std::filesystem::path(name).extension().string()) == ".txt") {
    format = &plain_text();
  }
  if (format != nullptr && (format == &plain_text() || has_document_reader(*format))) {
    return *format;
  }
  const auto problem = format == nullptr ? std::string("no format has this suffix")
                                         : fmt::format("this server was built without the reader of {}", format->title);
  throw RequestError(400, fmt::format("{}: {}; the files that can be translated are those with {}, and strings.xml",
                                      name, problem, fmt::join(file_suffixes(), ", ")));
}

}  // namespace

std::vector<ReadText> read_texts(const TranslationRequest& wanted, const std::string& target) {
  std::vector<ReadText> texts;
  for (const auto& text : wanted.texts) {
    ReadText read{.document = nullptr, .bytes = text};
    if (wanted.format == TextFormat::kHtml) {
      read.document = as_clients_mistake([&] {
        return read_html_document({.bytes = text, .name = "q", .target_language = target, .editable = wanted.editable});
      });
    } else {
      read.document = std::make_unique<PartsDocument>(split_plain_text(text));
    }
    texts.push_back(std::move(read));
  }
  return texts;
}

ReadFile read_file(const FileRequest& request, const std::string& target, std::size_t max_file) {
  const auto& format = format_of(request.name);
  if (!format.is_packed && &format != &plain_text() && request.bytes.size() > max_file / 4) {
    throw RequestError(413, fmt::format("{} has {} bytes, of {} at most for {}", request.name, request.bytes.size(),
                                        max_file / 4, format.title));
  }
  return as_clients_mistake([&] {
    std::string bytes(request.bytes);
    ReadFile file{.byte_order_mark = take_byte_order_mark(format, request.name, bytes), .text = {}};
    file.text.bytes = request.bytes.substr(file.byte_order_mark.size());
    if (&format == &plain_text()) {
      file.text.document = std::make_unique<PartsDocument>(split_plain_text(bytes));
      return file;
    }
    const auto& source = request.wanted.source;
    file.text.document = read_document(format, {.bytes = std::move(bytes),
                                                .name = request.name,
                                                .source_language = source == kAutoLanguage ? "" : source,
                                                .target_language = target,
                                                .columns = request.columns,
                                                .editable = request.wanted.editable,
                                                .most_unpacked = 2 * max_file});
    return file;
  });
}

std::unique_ptr<const Document> unchanged_document(std::string_view bytes) {
  return std::make_unique<PartsDocument>(TextParts{.texts = {}, .between = {std::string(bytes)}});
}

std::vector<std::string_view> file_suffixes() {
  auto suffixes = plain_text().suffixes;
  for (const auto& format : document_formats()) {
    if (has_document_reader(format)) {
      suffixes.insert(suffixes.end(), format.suffixes.begin(), format.suffixes.end());
    }
  }
  return suffixes;
}

std::size_t count_characters(std::span<const std::string> texts) {
  std::size_t characters = 0;
  for (const auto& text : texts) {
    characters += text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation_byte));
  }
  return characters;
}

std::string translated_name(std::string_view name, std::string_view target) {
  const auto dot = std::min(name.rfind('.'), name.size());
  return fmt::format("{}_{}{}", name.substr(0, dot), target, name.substr(dot));
}

}  // namespace translate::tools

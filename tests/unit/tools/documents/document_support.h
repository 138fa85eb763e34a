#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads a document from English to French.
inline std::unique_ptr<Document> read_as(std::string_view format, const std::string& bytes,
                                         std::vector<std::string> columns = {}) {
  return read_document(find_document_format(format), {.bytes = bytes,
                                                      .name = "file",
                                                      .source_language = "en",
                                                      .target_language = "fr",
                                                      .columns = std::move(columns)});
}

/// The file with each text as its own translation.
inline std::string untranslated(const Document& document) {
  std::vector<AlignedText> same;
  for (const auto& text : document.texts()) {
    same.push_back({.text = text});
  }
  return document.write(same);
}

/// The translation of a text into capitals (of ASCII), word for word.
inline AlignedText in_capital_words(std::string text) {
  std::int64_t words = 0;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    ++words;
  }
  AlignedText translation;
  for (std::int64_t word = 0; word < words; ++word) {
    translation.alignment.push_back({.source = word, .target = word});
  }
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  translation.text = std::move(text);
  return translation;
}

/// The file with all texts in capitals.
inline std::string capitals(const Document& document) {
  std::vector<AlignedText> translations;
  for (const auto& text : document.texts()) {
    translations.push_back(in_capital_words(text));
  }
  return document.write(translations);
}

}  // namespace translate::tools

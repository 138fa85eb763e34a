#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.h"
#include "segments/document_formats.h"
#include "segments/glossary.h"
#include "segments/kept_terms.h"
#include "serve/http/http_messages.h"

namespace translate::tools {

/// Returns the parameters of a request, as one JSON object: those of a JSON body (of any JSON type, or without a type);
/// otherwise those of the query and of an application/x-www-form-urlencoded or multipart/form-data body, all as
/// strings, those of the query first. Several q become a list. Throws RequestError if the body is neither.
[[nodiscard]] Json request_fields(const HttpRequest& request);

/// The source language of a client that does not know it.
constexpr std::string_view kAutoLanguage = "auto";

/// The format of the texts of a request.
enum class TextFormat { kText, kHtml };

/// The parameters of a request to translate, as sent.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q is a list, and so is the answer
  std::string source;
  std::string target;
  TextFormat format = TextFormat::kText;
  int alternatives = 0;                                ///< further translations of each text
  std::shared_ptr<const KeptTerms> keep = nullptr;     ///< terms that translations keep
  std::shared_ptr<const Glossary> glossary = nullptr;  ///< terms that translations must have
  bool score = false;                                  ///< include the log-probability of each translation
  EditableRegions editable = EditableRegions::kStay;   ///< of HTML
};

/// A file to translate, as sent.
struct FileRequest {
  std::string name;                  ///< without folders; at most 200 bytes, and never empty
  std::string_view bytes;            ///< of the request
  std::vector<std::string> columns;  ///< of a table
  TranslationRequest wanted;         ///< without texts
};

/// Reads the parameters (see request_fields) of POST /translate. They are those of LibreTranslate's interface: q (a
/// text or, several times or as a JSON list, texts), source, target, format (text or html) and alternatives; and score,
/// keep, glossary and editable, which are our own. Others are ignored, as LibreTranslate does. Throws RequestError.
[[nodiscard]] TranslationRequest read_translation_request(const HttpRequest& request);

/// Reads the multipart/form-data of POST /translate_file: LibreTranslate's file, source and target; and column (a line
/// for each), keep, glossary and editable, which are our own. Others are ignored. Throws RequestError: 415 for another
/// type of body, 413 if the file has more than `max_file` bytes, otherwise 400.
[[nodiscard]] FileRequest read_file_request(const HttpRequest& request, std::size_t max_file);

/// Reads the texts of POST /detect, also from q. Throws RequestError.
[[nodiscard]] std::vector<std::string> read_detection_request(const HttpRequest& request);

}  // namespace translate::tools

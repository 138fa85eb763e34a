#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/json.h"
#include "core/error.h"
#include "serving/html/text_parts.h"
#include "serving/http/http_messages.h"

namespace translate {

/// A request that is answered with an error of its own: the client's mistake.
class RequestError : public DataError {
 public:
  RequestError(int status, const std::string& message) : DataError(message), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;  ///< of HTTP: 400, 404, ...
};

/// The parameters of a request, as one JSON object: those of a JSON body (of any JSON type, or without a type);
/// otherwise those of the query and of an application/x-www-form-urlencoded or multipart/form-data body, all texts,
/// those of the query first. Several q are a list. Throws RequestError where the body is neither.
[[nodiscard]] Json request_fields(const HttpRequest& request);

/// The source language of a client that does not know it.
constexpr std::string_view kAutoLanguage = "auto";

/// What a client wants translated, as it said it.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q was a list, and the answer is one
  std::string source;
  std::string target;
  TextFormat format = TextFormat::kText;
  int alternatives = 0;  ///< further translations of each text
  bool score = false;    ///< wants to know the log-probability of each translation
};

/// Reads the parameters (see request_fields) of POST /translate, which are those of LibreTranslate's interface: q (a
/// text or, several times or as a JSON list, texts), source, target, format (text or html) and alternatives; and score,
/// which is our own. Others are ignored, as there. Throws RequestError.
[[nodiscard]] TranslationRequest read_translation_request(const HttpRequest& request);

/// The texts of POST /detect: q, likewise. Throws RequestError.
[[nodiscard]] std::vector<std::string> read_detection_request(const HttpRequest& request);

}  // namespace translate

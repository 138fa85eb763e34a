#pragma once

#include <string>
#include <vector>

#include "translate/core/error.h"
#include "translate/serving/http_message.h"
#include "translate/serving/text_parts.h"

namespace translate {

/// A request that is answered with an error of its own: the client's mistake.
class RequestError : public DataError {
 public:
  RequestError(int status, const std::string& message) : DataError(message), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;  ///< of HTTP: 400, 404, ...
};

/// What a client wants translated, as it said it.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< q was a list, and the answer is one
  std::string source;
  std::string target;
  TextFormat format = TextFormat::kText;
  int alternatives = 0;  ///< further translations of each text
};

/// Reads the body of POST /translate: JSON, application/x-www-form-urlencoded or multipart/form-data, with the fields
/// of LibreTranslate's interface: q (a text or, several times or as a JSON list, texts), source, target, format (text
/// or html) and alternatives; others are ignored, as there. A body without a type may be JSON. Throws RequestError.
[[nodiscard]] TranslationRequest read_translation_request(const HttpRequest& request);

}  // namespace translate

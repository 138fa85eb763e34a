#pragma once

#include "translate/config/json_text.h"
#include "translate/core/error.h"
#include "translate/serving/http_message.h"

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

}  // namespace translate

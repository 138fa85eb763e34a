#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/json.h"
#include "core/error.h"
#include "core/utf8.h"

namespace translate::tools {

/// A client's mistake, which is answered with an HTTP error of its own.
class RequestError : public DataError {
 public:
  /// `message` may contain text of the client: a NUL, where what() would end, becomes "\u0000".
  RequestError(int status, std::string_view message)
      : DataError(replace_all(message, std::string_view("\0", 1), "\\u0000")), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;  ///< HTTP status: 400, 404, ...
};

/// A request of a client, without the sockets.
struct HttpRequest {
  std::string method;        ///< "GET", "POST", ...
  std::string path;          ///< "/translate"; decoded, without the query
  std::string content_type;  ///< as sent: "application/json; charset=utf-8"
  std::string body;
  std::vector<std::pair<std::string, std::string>> query = {};  ///< after the question mark; decoded
  std::string host = {};                                        ///< the Host: "localhost:5000"; empty if there is none
  std::string origin = {};            ///< the Origin, by which browsers name the site whose page sends the request
  std::string forwarded_scheme = {};  ///< the X-Forwarded-Proto of a proxy: "https"
  std::string fetch_site = {};        ///< the Sec-Fetch-Site of browsers: "cross-site", "same-origin", ...
  bool overload = false;              ///< the server is fully occupied: nothing that takes long may be done
};

/// A request with the parts of its head that only the connection needs.
struct HttpExchange {
  HttpRequest request;
  std::string content_encoding;
  std::string accept_encoding;
  bool expects_continue = false;
  bool keep_alive = false;  ///< whether another request may follow
  unsigned int version = 11;
};

/// The body of an answer that is the same for all clients: made and compressed once, and shared by all answers that
/// have it, so that it takes no memory for each of them.
struct SharedBody {
  std::string bytes;
  std::shared_ptr<const SharedBody> gzip = nullptr;  ///< the same, compressed; nothing if that is not worthwhile
};

/// The answer to a request.
struct HttpAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers =
      {};  ///< in addition to Content-Type, Content-Length and Connection
  std::shared_ptr<const SharedBody> shared_body = nullptr;  ///< in place of `body`
};

/// The body of an answer: its own or the shared one.
[[nodiscard]] std::string_view body_of(const HttpAnswer& answer);

/// Returns JSON as an answer; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] HttpAnswer json_answer(int status, const Json& json);

/// {"error": message}
[[nodiscard]] HttpAnswer error_answer(int status, std::string_view message);

/// Returns an answer that asks the client to try again after some seconds: 503.
[[nodiscard]] HttpAnswer busy_answer(std::string_view message, std::chrono::seconds after = std::chrono::seconds(1));

/// The limits of a connection after an answer.
struct KeepAlive {
  std::chrono::seconds idle;  ///< until the next request
  std::size_t requests;       ///< maximum number
};

/// Returns the bytes of an answer before its body. Without `keep_alive` they announce that the connection is closed.
[[nodiscard]] std::string answer_head(const HttpAnswer& answer, unsigned int version,
                                      const std::optional<KeepAlive>& keep_alive);

}  // namespace translate::tools

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace translate {

using HttpPairs = std::vector<std::pair<std::string, std::string>>;

/// A server's answer.
struct HttpReply {
  int status = 0;
  std::string body;
  HttpPairs headers;

  /// The value of a header, whatever its capitals; empty if there is none.
  [[nodiscard]] std::string header(const std::string& name) const;
};

/// A client for tests: a connection to 127.0.0.1 for each request. What is nothing had no answer.
class HttpClient {
 public:
  explicit HttpClient(int port) : port_(port) {}

  [[nodiscard]] std::optional<HttpReply> send(const std::string& method, const std::string& target,
                                              const HttpPairs& headers = {}, const std::string& body = "") const;
  [[nodiscard]] std::optional<HttpReply> get(const std::string& target, const HttpPairs& headers = {}) const {
    return send("GET", target, headers);
  }
  [[nodiscard]] std::optional<HttpReply> post(const std::string& target, const std::string& body,
                                              const std::string& type) const {
    return send("POST", target, {{"Content-Type", type}}, body);
  }
  /// A form: application/x-www-form-urlencoded.
  [[nodiscard]] std::optional<HttpReply> post_form(const std::string& target, const HttpPairs& fields) const;

 private:
  int port_;
};

/// "a=1&b=2", percent-encoded.
[[nodiscard]] std::string encode_form(const HttpPairs& fields);

/// Sends bytes as they are, and returns what comes back until the server closes the connection. `half_close`: the
/// client ends its side once they are sent.
[[nodiscard]] std::string raw_answer(int port, const std::string& bytes, bool half_close = false);

}  // namespace translate

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/http_messages.h"

namespace translate::tools {

/// The names by which a server may be called, and the other web sites that may use it.
struct SiteOptions {
  std::string listening = "127.0.0.1";  ///< the name or address that the server listens on; "0.0.0.0" and "::" are all
  std::vector<std::string> hosts;       ///< further names, or addresses, of the server: "translate.example.org"
  std::vector<std::string> origins;     ///< sites whose scripts may use it: "https://example.org"; "*" is all
};

/// Protects a server from other web sites that its user visits. A page there could send it forms, or call it by a
/// domain name of the site that it points to the server's address ("DNS rebinding"). Browsers reveal both, by Host and
/// Origin.
class SitePolicy {
 public:
  explicit SitePolicy(SiteOptions options);

  /// Throws RequestError if the request is not allowed: 403, naming the option that would allow it, or 400 if its Host
  /// is invalid. The Host is checked for every request, the Origin for all methods that make the server work: all but
  /// GET, HEAD and OPTIONS.
  void check(const HttpRequest& request) const;

  /// Returns the answer of `dispatch` to a request that is allowed, or the RequestError that it or check throws as an
  /// answer, with the headers that all answers have: which site may read it, and that its type is not to be guessed.
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request, const std::function<HttpAnswer()>& dispatch) const;

  /// The Access-Control-Allow-Origin of the answer: "*", or the request's Origin if that may read it; otherwise empty.
  [[nodiscard]] std::string allowed_origin(const HttpRequest& request) const;

  /// Whether the answer's headers depend on the request's Origin.
  [[nodiscard]] bool depends_on_origin() const;

 private:
  void check_host(const std::string& host) const;
  [[nodiscard]] bool is_own_host(const std::string& host) const;
  [[nodiscard]] bool is_own_origin(const HttpRequest& request) const;
  [[nodiscard]] bool is_listed_origin(const std::string& origin) const;

  SiteOptions options_;
};

/// Whether the text is an origin as browsers send it, "https://example.org" or "http://localhost:3000", or "*".
[[nodiscard]] bool is_origin(std::string_view text);

/// Whether the text is a host's name or address without scheme and port: "example.org", "192.0.2.1", "::1".
[[nodiscard]] bool is_host(std::string_view text);

}  // namespace translate::tools

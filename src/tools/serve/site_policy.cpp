#include "serve/site_policy.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

#include "core/utf8.h"
#include "serve/http/http_messages.h"

namespace translate::tools {

namespace {

/// The parts of "example.org:8080". An IPv6 address has no brackets.
struct Authority {
  std::string host;
  std::string port;
};

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

/// Returns the bytes of an IP address, for IPv4 as the equivalent IPv6 address.
std::optional<std::array<unsigned char, 16>> address_bytes(const std::string& text) {
  constexpr std::size_t kIpv4Place = 12;
  std::array<unsigned char, 16> bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};
  if (inet_pton(AF_INET, text.c_str(), &bytes[kIpv4Place]) == 1 ||
      inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) {
    return bytes;
  }
  return std::nullopt;
}

bool is_same_host(const std::string& a, const std::string& b) {
  const auto bytes = address_bytes(a);
  return bytes ? bytes == address_bytes(b) : ascii_lower(a) == ascii_lower(b);
}

bool is_loopback(const std::array<unsigned char, 16>& bytes) {
  constexpr std::array<unsigned char, 13> kIpv4Loopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
  return std::ranges::equal(kIpv4Loopback, std::span(bytes).first<kIpv4Loopback.size()>()) ||
         bytes == address_bytes("::1");
}

/// Returns nothing if the text is not a host with or without a port.
std::optional<Authority> parse_authority(std::string_view text) {
  const bool in_brackets = text.starts_with('[');
  const auto end = in_brackets ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  Authority result = {.host = ascii_lower(text.substr(in_brackets ? 1 : 0, in_brackets ? end - 1 : end)), .port = ""};
  auto rest = text.substr(in_brackets ? end + 1 : end);
  if (!rest.empty()) {
    result.port = rest.substr(1);
    if (rest.front() != ':' || !is_digits(result.port)) {
      return std::nullopt;
    }
  }
  if (result.host.ends_with('.')) {
    result.host.pop_back();  // "localhost." is the same name
  }
  return is_host(result.host) && (!in_brackets || result.host.find(':') != std::string::npos) ? std::optional(result)
                                                                                              : std::nullopt;
}

/// Returns the host and port of "https://example.org"; the scheme's default port is left out.
std::optional<Authority> parse_origin(const std::string& origin) {
  const auto text = ascii_lower(origin);
  for (const auto& [scheme, port] : {std::pair{"http://", "80"}, std::pair{"https://", "443"}}) {
    if (text.starts_with(scheme)) {
      auto authority = parse_authority(std::string_view(text).substr(std::string_view(scheme).size()));
      if (authority && authority->port == port) {
        authority->port.clear();
      }
      return authority;
    }
  }
  return std::nullopt;
}

bool works(const std::string& method) { return method != "GET" && method != "HEAD" && method != "OPTIONS"; }

/// Returns the beginning of a client's text, for messages.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

}  // namespace

bool is_host(std::string_view text) {
  if (text.find(':') != std::string_view::npos) {
    return address_bytes(std::string(text)).has_value();
  }
  constexpr std::size_t kLongest = 253;  // of a name in the DNS
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
  });
}

bool is_origin(std::string_view text) { return text == "*" || parse_origin(std::string(text)).has_value(); }

SitePolicy::SitePolicy(SiteOptions options) : options_(std::move(options)) {}

void SitePolicy::check(const HttpRequest& request) const {
  check_host(request.host);
  if (!works(request.method) || is_own_origin(request) || is_listed_origin(request.origin)) {
    return;
  }
  if (request.origin.empty() || request.origin == "null") {
    throw RequestError(403,
                       "requests of other web sites are refused, and this one does not name its site; translate-serve "
                       "--cors '*' would allow all sites");
  }
  throw RequestError(403, fmt::format("requests of the web site {0} are refused: to allow it, start translate-serve "
                                      "with --cors {0}; or with --allow-host and its host, if that is a name of this "
                                      "server",
                                      shortened(request.origin)));
}

HttpAnswer SitePolicy::answer(const HttpRequest& request, const std::function<HttpAnswer()>& dispatch) const {
  HttpAnswer answer;
  try {
    check(request);
    answer = dispatch();
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  }
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (const auto origin = allowed_origin(request); !origin.empty()) {
    answer.headers.emplace_back("Access-Control-Allow-Origin", origin);
  }
  if (depends_on_origin()) {
    answer.headers.emplace_back("Vary", "Origin");
  }
  return answer;
}

void SitePolicy::check_host(const std::string& host) const {
  if (host.empty()) {
    return;  // HTTP/1.0, which no browser sends
  }
  const auto called = parse_authority(host);
  if (!called) {
    throw RequestError(400, "the Host of the request is not a name or address with or without a port");
  }
  if (!is_own_host(called->host)) {
    throw RequestError(403, fmt::format("requests to the host {0} are refused: to allow this name, start "
                                        "translate-serve with --allow-host {0}",
                                        called->host));
  }
}

bool SitePolicy::is_own_host(const std::string& host) const {
  const auto bytes = address_bytes(host);
  if (host == "localhost" || (bytes && is_loopback(*bytes))) {
    return true;
  }
  // DNS rebinding works with names alone, so that a server on all addresses may be called by any of them.
  const bool is_any = options_.listening == "0.0.0.0" || address_bytes(options_.listening) == address_bytes("::");
  return (bytes && is_any) || is_same_host(host, options_.listening) ||
         std::ranges::any_of(options_.hosts, [&](const auto& own) { return is_same_host(host, own); });
}

/// Returns whether a request comes from one of the server's own pages, or from a program that is not a browser.
bool SitePolicy::is_own_origin(const HttpRequest& request) const {
  if (request.origin.empty()) {
    return request.fetch_site != "cross-site" && request.fetch_site != "same-site";
  }
  const auto origin = parse_origin(request.origin);
  if (!origin) {
    return false;
  }
  const bool is_allowed =
      std::ranges::any_of(options_.hosts, [&](const auto& own) { return is_same_host(origin->host, own); });
  const auto called = parse_origin((request.origin.starts_with("https") ? "https://" : "http://") + request.host);
  return is_allowed || (called && called->host == origin->host && called->port == origin->port);
}

bool SitePolicy::is_listed_origin(const std::string& origin) const {
  return std::ranges::any_of(options_.origins,
                             [&](const auto& own) { return own == "*" || ascii_lower(own) == ascii_lower(origin); });
}

std::string SitePolicy::allowed_origin(const HttpRequest& request) const {
  if (std::ranges::find(options_.origins, "*") != options_.origins.end()) {
    return "*";
  }
  return is_listed_origin(request.origin) ? request.origin : "";
}

bool SitePolicy::depends_on_origin() const {
  return !options_.origins.empty() && std::ranges::find(options_.origins, "*") == options_.origins.end();
}

}  // namespace translate::tools

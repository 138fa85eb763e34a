#include "serve/http/http_messages.h"

#include <fmt/format.h>

#include <boost/beast/http/status.hpp>
#include <iterator>

namespace translate::tools {

std::string_view body_of(const HttpAnswer& answer) {
  return answer.shared_body ? answer.shared_body->bytes : answer.body;
}

HttpAnswer json_answer(int status, const Json& json) {
  return {.status = status,
          .content_type = "application/json",
          .body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

HttpAnswer error_answer(int status, std::string_view message) { return json_answer(status, {{"error", message}}); }

HttpAnswer busy_answer(std::string_view message, std::chrono::seconds after) {
  auto answer = error_answer(503, message);
  answer.headers.emplace_back("Retry-After", std::to_string(after.count()));
  return answer;
}

std::string answer_head(const HttpAnswer& answer, unsigned int version, const std::optional<KeepAlive>& keep_alive) {
  constexpr int kNoContent = 204;
  constexpr unsigned int kVersion10 = 10;
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(answer.status));
  auto head = fmt::format("HTTP/1.{} {} {}\r\n", version % 10, answer.status, reason);
  const auto add = [&](std::string_view name, const auto& value) {
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  };
  for (const auto& [name, value] : answer.headers) {
    add(name, value);
  }
  if (!answer.content_type.empty()) {
    add("Content-Type", answer.content_type);
  }
  if (answer.status != kNoContent) {
    add("Content-Length", body_of(answer).size());
  }
  if (keep_alive) {
    add("Keep-Alive", fmt::format("timeout={}, max={}", keep_alive->idle.count(), keep_alive->requests));
  }
  if (!keep_alive || version == kVersion10) {
    add("Connection", keep_alive ? "keep-alive" : "close");
  }
  return head + "\r\n";
}

}  // namespace translate::tools

#include "translate/serving/http_answer_bytes.h"

#include <fmt/format.h>

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>

namespace translate {
namespace {

namespace http = boost::beast::http;

std::string head_bytes(const http::response<http::string_body>& response) {
  http::response_serializer<http::string_body> serializer(response);
  serializer.split(true);
  std::string bytes;
  boost::system::error_code error;
  while (!error && !serializer.is_header_done()) {
    serializer.next(error, [&](boost::system::error_code&, const auto& buffers) {
      const auto before = bytes.size();
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        bytes.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      serializer.consume(bytes.size() - before);
    });
  }
  return bytes;
}

}  // namespace

std::string http_answer_bytes(const HttpAnswer& answer, const HttpHead& head,
                              const std::optional<KeepAlive>& keep_alive) {
  constexpr int kNoContent = 204;
  constexpr unsigned int kVersion10 = 10;
  http::response<http::string_body> response;
  response.version(head.version);
  response.result(static_cast<unsigned int>(answer.status));
  for (const auto& [name, value] : answer.headers) {
    response.insert(name, value);
  }
  if (!answer.content_type.empty()) {
    response.set(http::field::content_type, answer.content_type);
  }
  if (answer.status != kNoContent) {
    response.content_length(answer.body.size());
  }
  if (!keep_alive) {
    response.set(http::field::connection, "close");
  } else {
    response.set(http::field::keep_alive,
                 fmt::format("timeout={}, max={}", keep_alive->idle.count(), keep_alive->requests));
    if (head.version == kVersion10) {
      response.set(http::field::connection, "keep-alive");
    }
  }
  return head_bytes(response) + (head.request.method == "HEAD" ? "" : answer.body);
}

}  // namespace translate

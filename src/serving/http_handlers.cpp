#include "translate/serving/http_handlers.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "translate/core/logging.h"
#include "translate/serving/content_coding.h"
#include "translate/serving/request_fields.h"
#include "translate/serving/service_answers.h"

namespace translate {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReserve = 2;  // threads for requests that are not translated, which takes them no time

}  // namespace

HttpHandlers::HttpHandlers(const HttpServerOptions& options, HttpServer::Handler handler)
    : handler_(std::move(handler)),
      most_(options.threads),
      max_body_(options.max_body),
      reserve_(kReserve),
      threads_(options.threads) {}

asio::awaitable<HttpAnswer> HttpHandlers::answer(ReceivedRequest received) {
  auto& head = received.head;
  const bool overload = received.turned_away || busy_ >= most_;
  head.request.overload = overload;
  busy_ += overload ? 0 : 1;
  auto& pool = overload ? reserve_ : threads_;
  auto work = [this, &head]() -> asio::awaitable<HttpAnswer> { co_return handle(head); };
  auto answer = co_await asio::co_spawn(pool, std::move(work), asio::use_awaitable);
  busy_ -= overload ? 0 : 1;
  co_return answer;
}

HttpAnswer HttpHandlers::handle(HttpHead& head) const {
  HttpAnswer answer;
  try {
    auto& request = head.request;
    request.body = decode_content(std::move(request.body), head.content_encoding, max_body_);
    answer = handler_(request);
    compress_answer(answer, head.accept_encoding);
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  } catch (const std::exception& error) {
    log_error(fmt::format("a request failed: {}", error.what()));
    answer = error_answer(500, "the request failed");
  }
  return answer;
}

}  // namespace translate

#include "serve/http/http_handlers.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>

#include "core/logging.h"
#include "serve/http/http_bodies.h"
#include "serve/translation_answer.h"
#include "serve/translation_request.h"

namespace translate {

namespace {

// Several heap blocks, since another thread may take one or two before the allocation is retried.
constexpr std::size_t kBlocks = 32;
constexpr std::size_t kBlockBytes = 32UL * 1024;

std::array<std::atomic<void*>, kBlocks> blocks{};
thread_local bool is_allowed_here = false;

bool release_block() noexcept {
  for (auto& place : blocks) {
    if (void* block = place.exchange(nullptr)) {
      std::free(block);
      return true;
    }
  }
  return false;
}

/// The handler of `operator new`, which then retries.
void handle_failure() {
  if (!is_allowed_here || !release_block()) {
    throw std::bad_alloc();
  }
}

}  // namespace

MemoryReserve::MemoryReserve() : handler_before_(std::set_new_handler(handle_failure)) { refill(); }

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(handler_before_);
  while (release_block()) {
  }
}

void MemoryReserve::refill() noexcept {
  for (auto& place : blocks) {
    void* none = nullptr;
    if (place.load() != nullptr) continue;
    void* block = std::malloc(kBlockBytes);
    if (block == nullptr) return;
    if (!place.compare_exchange_strong(none, block)) std::free(block);
  }
}

MemoryReserve::Access::Access(bool is_allowed) noexcept : before_(is_allowed_here) { is_allowed_here = is_allowed; }

MemoryReserve::Access::~Access() { is_allowed_here = before_; }

namespace {

namespace asio = boost::asio;

constexpr std::size_t kReserve = 4;  // threads for connections, and for requests that take no time

}  // namespace

HttpHandlers::HttpHandlers(asio::io_context& context, const HttpServerOptions& options, HttpServer::Handler handler)
    : context_(context),
      handler_(std::move(handler)),
      most_(options.threads),
      max_body_(options.max_body),
      ended_(all_ended_.get_future()) {}

HttpHandlers::~HttpHandlers() {
  for (auto& thread : threads_) {
    thread.join();
  }
}

void HttpHandlers::start() {
  const auto count = most_ + kReserve;
  running_ = count;
  try {
    while (threads_.size() < count) {
      threads_.emplace_back([this] { run(); });
    }
  } catch (...) {
    context_.stop();
    throw;
  }
}

asio::awaitable<void> HttpHandlers::handle(HttpHead& head, bool turn_away, const Deliver& deliver) {
  const bool overload = turn_away || busy_ >= most_;
  head.request.overload = overload;
  asio::steady_timer done(context_, asio::steady_timer::time_point::max());
  tasks_.emplace_back([this, &head, &deliver, &done] {
    try {
      deliver(answer_to(head));
    } catch (const std::exception& error) {
      log_error(fmt::format("a request was not answered: {}", error.what()));
    }
    asio::post(context_, [&done] { done.cancel(); });
  });
  busy_ += overload ? 0 : 1;
  boost::system::error_code is_cancelled;
  co_await done.async_wait(asio::redirect_error(asio::use_awaitable, is_cancelled));
  busy_ -= overload ? 0 : 1;
}

HttpAnswer HttpHandlers::answer_to(HttpHead& head) const {
  const MemoryReserve::Access forbidden(false);  // requests may be large
  HttpAnswer answer;
  try {
    auto& request = head.request;
    request.body = decode_content(std::move(request.body), head.content_encoding, max_body_);
    answer = handler_(request);
    compress_answer(answer, head.accept_encoding);
  } catch (const RequestError& error) {
    const MemoryReserve::Access allowed(true);
    answer = error_answer(error.status(), error.what());
  } catch (const std::exception& error) {
    const MemoryReserve::Access allowed(true);
    log_error(fmt::format("a request failed: {}", error.what()));
    answer = error_answer(500, "the request failed");
  }
  return answer;
}

/// The main function of a thread.
void HttpHandlers::run() {
  const MemoryReserve::Access allowed(true);
  bool is_over = false;
  while (!is_over) {
    try {
      serve_connections();
      is_over = true;
    } catch (const std::exception& error) {  // only if memory runs out; the connection at fault is closed
      log_error(fmt::format("a connection was closed: {}", error.what()));
    }
  }
  if (--running_ == 0) {
    all_ended_.set_value();
  }
}

void HttpHandlers::serve_connections() {
  std::unique_lock lock(serving_);
  while (context_.run_one() > 0) {
    while (!tasks_.empty()) {
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();  // another thread serves the connections from now on
      task();
      lock.lock();
    }
  }
}

}  // namespace translate

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serving/http/http_messages.h"
#include "serving/http/site_policy.h"
#include "serving/language_detector.h"
#include "serving/request_queue.h"
#include "serving/translation_answer.h"
#include "serving/translation_request.h"

namespace translate {

/// Counts what a service did. Thread-safe.
class ServiceMetrics {
 public:
  /// A request to translate that was answered with `status`, `time` after it was read.
  void count(int status, std::chrono::nanoseconds time);
  /// Text that was translated.
  void count_text(std::size_t texts, std::size_t characters);

  /// Everything in the text format of Prometheus, the queue's counts included. Times are those of the last
  /// kKept requests that were answered with a translation.
  [[nodiscard]] std::string text(const QueueCounts& queue) const;

  static constexpr std::size_t kKept = 4096;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> by_status_;
  std::uint64_t texts_ = 0;
  std::uint64_t characters_ = 0;
  std::vector<double> seconds_;  ///< a ring
  std::uint64_t timed_ = 0;      ///< times that went into it
};

/// The HTTP interface, without sockets: that of LibreTranslate as far as it concerns translating (docs/serving.md), and
/// a page to try it in.
class TranslationService {
 public:
  /// A path, and the method that it takes.
  struct Endpoint {
    std::string_view path;
    std::string_view method;
  };

  /// `several`: a queue of its own for requests that want alternatives, so that the search for these costs no others;
  /// nullptr: there is one for all. The queues must outlive the service.
  TranslationService(ServiceOptions options, RequestQueue& queue, RequestQueue* several = nullptr);

  /// All there are.
  [[nodiscard]] static std::span<const Endpoint> endpoints();

  /// Answers any request, also a wrong one; waits for the translation. Thread-safe; never throws but for want of
  /// memory.
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);

  /// What a request's body may have at most, in bytes: enough for max_characters in every encoding.
  [[nodiscard]] std::size_t max_body() const;

 private:
  [[nodiscard]] HttpAnswer dispatch(const HttpRequest& request);
  [[nodiscard]] HttpAnswer translate(const HttpRequest& request);
  [[nodiscard]] HttpAnswer translate_now(const HttpRequest& request, RequestQueue::Clock::time_point deadline);
  [[nodiscard]] HttpAnswer detect(const HttpRequest& request) const;
  void check(const TranslationRequest& request) const;
  [[nodiscard]] std::size_t count_characters(std::span<const std::string> texts) const;
  [[nodiscard]] SplitText split(const std::string& text, const TranslationRequest& wanted) const;
  [[nodiscard]] std::string metrics() const;

  ServiceOptions options_;
  RequestQueue& queue_;
  RequestQueue* several_;
  SitePolicy sites_;
  LanguageDetector detector_;
  ServiceMetrics metrics_;
};

}  // namespace translate

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

/// Counts a service's requests. Thread-safe.
class ServiceMetrics {
 public:
  /// Counts a request to translate that was answered with `status`, `time` after it was read.
  void count(int status, std::chrono::nanoseconds time);
  /// Counts translated text.
  void count_text(std::size_t texts, std::size_t characters);

  /// Returns all counts in the text format of Prometheus, including the queue's. Times are those of the last kKept
  /// requests that were answered with a translation.
  [[nodiscard]] std::string text(const QueueCounts& queue) const;

  static constexpr std::size_t kKept = 4096;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> by_status_;
  std::uint64_t texts_ = 0;
  std::uint64_t characters_ = 0;
  std::vector<double> seconds_;  ///< a ring buffer
  std::uint64_t timed_ = 0;      ///< times recorded in it so far
};

/// The HTTP interface, without sockets: LibreTranslate's, as far as it concerns translating (docs/serving.md), and a
/// page to try it.
class TranslationService {
 public:
  /// A path and its method.
  struct Endpoint {
    std::string_view path;
    std::string_view method;
  };

  /// `several`: a separate queue for requests with alternatives, so that their search does not slow down the others;
  /// nullptr: one queue for all. The queues must outlive the service.
  TranslationService(ServiceOptions options, RequestQueue& queue, RequestQueue* several = nullptr);

  /// All endpoints.
  [[nodiscard]] static std::span<const Endpoint> endpoints();

  /// Answers any request, also an invalid one; waits for the translation. Thread-safe. Throws nothing, except if memory
  /// runs out.
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);

  /// The maximum size of a request's body in bytes: enough for max_characters in every encoding.
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

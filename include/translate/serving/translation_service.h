#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "translate/serving/http_message.h"
#include "translate/serving/language_detector.h"
#include "translate/serving/request_queue.h"
#include "translate/serving/service_metrics.h"
#include "translate/serving/service_options.h"
#include "translate/serving/site_policy.h"
#include "translate/serving/translation_answer.h"
#include "translate/serving/translation_request.h"

namespace translate {

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

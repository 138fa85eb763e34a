#pragma once

#include <cstddef>

#include "translate/serving/http_message.h"
#include "translate/serving/request_queue.h"
#include "translate/serving/service_metrics.h"
#include "translate/serving/service_options.h"
#include "translate/serving/translation_request.h"

namespace translate {

/// The HTTP interface, without sockets: that of LibreTranslate as far as it concerns translating (docs/serving.md), and
/// a page to try it in.
class TranslationService {
 public:
  /// The queue must outlive it.
  TranslationService(ServiceOptions options, RequestQueue& queue);

  /// Answers any request, also a wrong one; waits for the translation. Thread-safe; never throws but for want of
  /// memory.
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);

  /// What a request's body may have at most, in bytes: enough for max_characters in every encoding.
  [[nodiscard]] std::size_t max_body() const;

 private:
  [[nodiscard]] HttpAnswer dispatch(const HttpRequest& request);
  [[nodiscard]] HttpAnswer translate(const HttpRequest& request);
  [[nodiscard]] HttpAnswer translate_now(const HttpRequest& request, RequestQueue::Clock::time_point deadline);
  void check(const TranslationRequest& request) const;

  ServiceOptions options_;
  RequestQueue& queue_;
  ServiceMetrics metrics_;
};

}  // namespace translate

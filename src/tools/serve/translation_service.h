#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detection/language_detector.h"
#include "serve/http/http_messages.h"
#include "serve/models/model_registry.h"
#include "serve/request_queue.h"
#include "serve/service_metrics.h"
#include "serve/site_policy.h"
#include "serve/translation_answer.h"
#include "serve/translation_request.h"
#include "serve/translation_work.h"

namespace translate::tools {

/// The HTTP interface, without sockets: LibreTranslate's, as far as it concerns translating (docs/serving.md), and a
/// page to try it.
class TranslationService {
 public:
  /// A path and its method.
  struct Endpoint {
    std::string_view path;
    std::string_view method;
  };

  /// The models must outlive the service.
  TranslationService(ServiceOptions options, ModelRegistry& models);

  /// All endpoints.
  [[nodiscard]] static std::span<const Endpoint> endpoints();

  /// Answers any request, also an invalid one; waits for the translation. Thread-safe. Throws nothing, except if memory
  /// runs out.
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);

  /// The maximum size of a request's body in bytes: enough for max_characters in every encoding, and for max_file.
  [[nodiscard]] std::size_t max_body() const;
  /// The maximum size of a request's query in bytes.
  [[nodiscard]] std::size_t max_query() const;

  /// Forgets what need not be kept any longer at `now`; to be called now and then.
  void look_after(TranslationWork::Clock::time_point now) { work_.expire_files(now); }

 private:
  [[nodiscard]] HttpAnswer dispatch(const HttpRequest& request);
  [[nodiscard]] HttpAnswer detect(const HttpRequest& request) const;

  ServiceOptions options_;
  std::shared_ptr<const SharedBody> page_;
  std::shared_ptr<const SharedBody> docs_page_;
  ModelRegistry& models_;
  SitePolicy sites_;
  ServiceMetrics metrics_;
  TranslationWork work_;
};

}  // namespace translate::tools

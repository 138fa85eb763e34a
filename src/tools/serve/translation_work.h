#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "serve/http/http_messages.h"
#include "serve/long_requests.h"
#include "serve/models/model_registry.h"
#include "serve/request_documents.h"
#include "serve/service_metrics.h"
#include "serve/text_routing.h"
#include "serve/translated_files.h"
#include "serve/translation_answer.h"

namespace translate::tools {

/// Translates the texts and files of requests, within the limits of a service, and keeps the translated files. All
/// functions are thread-safe.
class TranslationWork {
 public:
  using Clock = RequestQueue::Clock;

  /// Paths of translated files begin with it; their key follows.
  static constexpr std::string_view kDownloads = "/download_file/";

  /// The arguments must outlive it.
  TranslationWork(const ServiceOptions& options, ModelRegistry& models, ServiceMetrics& metrics);

  /// Answers POST /translate and POST /translate_file, also if something fails; waits for the translation.
  [[nodiscard]] HttpAnswer translate(const HttpRequest& request);
  [[nodiscard]] HttpAnswer translate_file(const HttpRequest& request);

  /// Returns a translated file. Throws RequestError (404) if there is none, or its time is over.
  [[nodiscard]] HttpAnswer download(const HttpRequest& request) const;

  /// Forgets translated files whose time is over at `now`.
  void expire_files(Clock::time_point now) { files_.expire(now); }

 private:
  using Place = std::optional<LongRequests::Place>;

  [[nodiscard]] HttpAnswer answer(const HttpRequest& request,
                                  const std::function<HttpAnswer(Clock::time_point start)>& work);
  [[nodiscard]] HttpAnswer translate_texts(const HttpRequest& request, Clock::time_point start);
  [[nodiscard]] HttpAnswer translate_one_file(const HttpRequest& request, Clock::time_point start);
  void check_texts(std::size_t characters, std::span<const ReadText> texts) const;
  [[nodiscard]] std::vector<Candidates> translate(RoutedTexts& texts, const WantedDetails& wanted,
                                                  Clock::time_point deadline) const;

  const ServiceOptions& options_;
  ModelRegistry& models_;
  ServiceMetrics& metrics_;
  LongRequests long_;
  TranslatedFiles files_;
};

}  // namespace translate::tools

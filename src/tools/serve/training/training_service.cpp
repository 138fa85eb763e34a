#include "serve/training/training_service.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "serve/http/http_bodies.h"
#include "serve/translation_answer.h"

namespace translate::tools {

TrainingService::TrainingService(SiteOptions sites, TrainingRuns& runs, std::string_view page)
    : sites_(std::move(sites)), runs_(runs), page_(share_body(std::string(page))) {}

HttpAnswer TrainingService::answer(const HttpRequest& request) {
  return sites_.answer(request, [&] { return dispatch(request); });
}

HttpAnswer TrainingService::dispatch(const HttpRequest& request) {
  const bool is_known = request.path == "/" || request.path == "/training" || request.path == "/health";
  if (!is_known) {
    throw RequestError(404,
                       fmt::format("there is no {} here; there are GET /, GET /training, GET /health", request.path));
  }
  if (auto answer = method_answer(request, "GET")) {
    return *std::move(answer);
  }
  if (request.path == "/health") {
    return json_answer(200, {{"status", "ok"}});
  }
  if (request.path == "/") {
    return page_answer(page_);
  }
  if (request.overload) {
    return busy_answer("the server has too many requests at a time");
  }
  auto answer = json_answer(200, runs_.json());
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

}  // namespace translate::tools

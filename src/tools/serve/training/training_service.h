#pragma once

#include <memory>
#include <string_view>

#include "serve/http/http_messages.h"
#include "serve/site_policy.h"
#include "serve/training/training_runs.h"

namespace translate::tools {

/// The HTTP interface of a server that shows trainings, without sockets: GET / is the page, GET /training what it shows
/// as JSON, GET /health says that the server lives. Nothing else is served: no request names a file.
class TrainingService {
 public:
  /// `runs` must outlive the service.
  TrainingService(SiteOptions sites, TrainingRuns& runs, std::string_view page);

  /// Answers any request, also an invalid one. Thread-safe. Throws nothing, except if memory runs out.
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);

 private:
  [[nodiscard]] HttpAnswer dispatch(const HttpRequest& request);

  SitePolicy sites_;
  TrainingRuns& runs_;
  std::shared_ptr<const SharedBody> page_;
};

}  // namespace translate::tools

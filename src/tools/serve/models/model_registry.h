#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/models/model_set.h"
#include "serve/models/served_model.h"
#include "serve/request_queue.h"
#include "serve/service_metrics.h"

namespace translate::tools {

/// The models that a server translates with now, and those that it has replaced but that still have requests. A request
/// takes the current set when it begins and keeps it, so a model that is replaced meanwhile finishes its requests. All
/// functions are thread-safe.
class ModelRegistry {
 public:
  using Clock = RequestQueue::Clock;

  /// At least one model. Throws ConfigError if two have the same direction.
  ModelRegistry(std::vector<std::unique_ptr<ServedModel>> models, Pivoting pivoting);

  /// The current set.
  [[nodiscard]] std::shared_ptr<const ModelSet> current() const;

  /// Puts `model` in the place of model `index`; requests from now on get it. Throws ConfigError if it has a direction
  /// that another model has; then nothing changes.
  void replace(std::size_t index, std::unique_ptr<ServedModel> model);

  /// Destroys the replaced models whose requests have all ended, on the calling thread, since it takes a moment.
  /// Returns their names.
  std::vector<std::string> destroy_unused();

  /// Counts a reload: whether all models that it was to replace were loaded.
  void count_reload(bool succeeded);

  /// Stops all models, also replaced ones (see RequestQueue::stop).
  void stop();
  /// Waits until no line is under way or waiting in any model; returns false if `deadline` passes first.
  [[nodiscard]] bool wait_until_idle(Clock::time_point deadline);

  /// The memory of the current models, the reloads, and the lines of all models since the start.
  [[nodiscard]] ModelCounts counts() const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<ServedModel>> all() const;

  const Pivoting pivoting_;
  std::mutex replacing_;      ///< held while a set is made of the current one
  mutable std::mutex mutex_;  ///< guards the members below
  std::shared_ptr<const ModelSet> current_;
  std::list<std::shared_ptr<ServedModel>> replaced_;
  QueueCounts ended_;  ///< of the models that were destroyed
  std::uint64_t reloads_ = 0;
  std::uint64_t failed_reloads_ = 0;
};

}  // namespace translate::tools

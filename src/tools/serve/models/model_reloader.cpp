#include "serve/models/model_reloader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/logging.h"
#include "core/system/allocator.h"

namespace translate::tools {

ModelReloader::ModelReloader(LoadModel load, std::size_t count, Pivoting pivoting) : load_(std::move(load)) {
  std::vector<std::unique_ptr<ServedModel>> models;
  for (std::size_t i = 0; i < count; ++i) {
    auto loaded = load_(i, std::nullopt).value();
    log_info(fmt::format("model {}", loaded.text));
    models.push_back(std::move(loaded.model));
    slots_.push_back({.text = std::move(loaded.text), .stamps = std::move(loaded.stamps)});
  }
  registry_ = std::make_unique<ModelRegistry>(std::move(models), pivoting);
}

bool ModelReloader::is_reloading() const {
  return reload_.valid() && reload_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void ModelReloader::look_after() {
  if (requested_ && !is_reloading()) {
    requested_ = false;
    log_info("loading the models again");
    reload_ = std::async(std::launch::async, [this] { reload(); });
  }
  const auto ended = registry_->destroy_unused();
  for (const auto& name : ended) {
    log_info(fmt::format("the replaced model {} has ended its last request and left the memory", name));
  }
  if (!ended.empty()) {
    give_back_freed_memory();
  }
}

void ModelReloader::reload() {
  bool succeeded = true;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    succeeded = reload_model(i) && succeeded;
  }
  registry_->count_reload(succeeded);
  log_info(succeeded ? "all models are up to date" : "some models were not loaded again: see above");
}

bool ModelReloader::reload_model(std::size_t index) {
  auto& [text, stamps] = slots_[index];
  try {
    auto loaded = load_(index, stamps);
    if (!loaded) {
      log_info(fmt::format("model {}: unchanged", text));
      return true;
    }
    registry_->replace(index, std::move(loaded->model));
    log_info(fmt::format("model {}: replaced by {}", text, loaded->text));
    text = std::move(loaded->text);
    stamps = std::move(loaded->stamps);
    return true;
  } catch (const std::exception& error) {
    log_error(fmt::format("model {} stays, because it cannot be loaded again: {}", text, error.what()));
    return false;
  }
}

}  // namespace translate::tools

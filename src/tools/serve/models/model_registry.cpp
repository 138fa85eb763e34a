#include "serve/models/model_registry.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace translate::tools {

ModelRegistry::ModelRegistry(std::vector<std::unique_ptr<ServedModel>> models, Pivoting pivoting)
    : pivoting_(pivoting),
      current_(std::make_shared<const ModelSet>(
          ModelSet::Models(std::move_iterator(models.begin()), std::move_iterator(models.end())), pivoting)) {}

std::shared_ptr<const ModelSet> ModelRegistry::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ModelRegistry::replace(std::size_t index, std::unique_ptr<ServedModel> model) {
  const std::lock_guard only(replacing_);
  auto models = current()->models();
  auto old = std::exchange(models.at(index), std::move(model));
  auto next = std::make_shared<const ModelSet>(std::move(models), pivoting_);
  const std::lock_guard lock(mutex_);
  replaced_.push_back(std::move(old));
  current_ = std::move(next);
}

std::vector<std::string> ModelRegistry::destroy_unused() {
  std::list<std::shared_ptr<ServedModel>> unused;
  std::unique_lock lock(mutex_);
  for (auto model = replaced_.begin(); model != replaced_.end();) {
    const auto next = std::next(model);
    if (model->use_count() == 1) {  // no set has it any more, so nobody can get it
      auto counts = (*model)->counts();
      counts.waiting = counts.under_way = 0;  // lines that nobody waits for any more
      ended_ += counts;
      unused.splice(unused.end(), replaced_, model);
    }
    model = next;
  }
  lock.unlock();
  std::vector<std::string> names;
  for (const auto& model : unused) {
    names.push_back(model->facts().name);
  }
  return names;
}

void ModelRegistry::count_reload(bool succeeded) {
  const std::lock_guard lock(mutex_);
  ++(succeeded ? reloads_ : failed_reloads_);
}

/// The current models, then those that were replaced.
std::vector<std::shared_ptr<ServedModel>> ModelRegistry::all() const {
  const std::lock_guard lock(mutex_);
  auto models = current_->models();
  models.insert(models.end(), replaced_.begin(), replaced_.end());
  return models;
}

void ModelRegistry::stop() {
  for (const auto& model : all()) {
    model->stop();
  }
}

bool ModelRegistry::wait_until_idle(Clock::time_point deadline) {
  return std::ranges::all_of(all(), [&](const auto& model) { return model->wait_until_idle(deadline); });
}

ModelCounts ModelRegistry::counts() const {
  const std::lock_guard lock(mutex_);
  ModelCounts counts = {.queue = ended_, .bytes = {}, .reloads = reloads_, .failed_reloads = failed_reloads_};
  for (const auto& model : current_->models()) {
    counts.queue += model->counts();
    counts.bytes.emplace_back(model->facts().name, model->facts().bytes);
  }
  for (const auto& model : replaced_) {
    counts.queue += model->counts();
  }
  return counts;
}

}  // namespace translate::tools

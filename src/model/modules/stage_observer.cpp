#include "model/modules/stage_observer.h"

#include <utility>

namespace translate {

namespace {

thread_local const StageObserver* current_observer = nullptr;
thread_local std::string current_scope;  // empty, or ends with a dot; grows only while somebody is looking

}  // namespace

ObserveStages::ObserveStages(StageObserver observer) : observer_(std::move(observer)), outer_(current_observer) {
  current_observer = &observer_;
}

ObserveStages::~ObserveStages() { current_observer = outer_; }

bool stages_are_observed() { return current_observer != nullptr; }

void observe_stage(std::string_view name, const at::Tensor& value) {
  if (stages_are_observed()) {
    (*current_observer)(current_scope + std::string(name), value);
  }
}

StageScope::StageScope(std::string_view module) : outer_length_(current_scope.size()) {
  if (stages_are_observed()) {
    current_scope.append(module).append(".");
  }
}

StageScope::StageScope(std::string_view list, std::int64_t index) : outer_length_(current_scope.size()) {
  if (stages_are_observed()) {
    current_scope.append(list).append(".").append(std::to_string(index)).append(".");
  }
}

StageScope::~StageScope() { current_scope.resize(outer_length_); }

}  // namespace translate

#include "modules/execution_context.h"

#include <utility>

namespace translate::trainer {

ExecutionContext ExecutionContext::observed_by(StageObserver observer) const {
  ExecutionContext context = *this;
  context.observer_ = std::make_shared<const StageObserver>(std::move(observer));
  return context;
}

ExecutionContext ExecutionContext::storing(std::span<CrossAttentionInput> inputs) const {
  ExecutionContext context = *this;
  context.stored_inputs_ = inputs;
  return context;
}

ExecutionContext ExecutionContext::over(UnpaddedLayoutPointer sentences) const {
  ExecutionContext context = *this;
  context.padded_sentences_ = std::move(sentences);
  return context;
}

ExecutionContext ExecutionContext::within(std::string_view module) const {
  ExecutionContext context = *this;
  if (is_observed()) {
    context.scope_.append(module).append(".");
  }
  return context;
}

ExecutionContext ExecutionContext::within(std::string_view list, std::int64_t index) const {
  ExecutionContext context = *this;
  if (is_observed()) {
    context.scope_.append(list).append(".").append(std::to_string(index)).append(".");
  }
  return context;
}

void ExecutionContext::observe(std::string_view stage, const at::Tensor& value) const {
  if (is_observed()) {
    (*observer_)(scope_ + std::string(stage), value);
  }
}

}  // namespace translate::trainer

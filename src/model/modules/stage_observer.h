#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace translate {

/// Called with each stage of a forward pass, in order: its name, after the modules it lies in
/// (`encoder.layers.0.self_attention_block.weights`), and its value.
using StageObserver = std::function<void(const std::string& name, const at::Tensor& value)>;

/// While an object of this class lives, the model's modules report their stages on this thread. Attention then computes
/// its weights in plain steps, as there is nothing to see inside the fused kernel; results agree within rounding.
class ObserveStages {
 public:
  explicit ObserveStages(StageObserver observer);
  ~ObserveStages();
  ObserveStages(const ObserveStages&) = delete;
  ObserveStages& operator=(const ObserveStages&) = delete;

 private:
  StageObserver observer_;
  const StageObserver* outer_;
};

/// True where somebody is looking.
[[nodiscard]] bool stages_are_observed();

/// Reports a stage of the module in scope; next to free where nobody is looking.
void observe_stage(std::string_view name, const at::Tensor& value);

/// The name of a module, or of one in a list (`layers.2`), for the stages reported while the object lives.
class StageScope {
 public:
  explicit StageScope(std::string_view module);
  StageScope(std::string_view list, std::int64_t index);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  std::size_t outer_length_;  ///< of the name before this scope
};

}  // namespace translate

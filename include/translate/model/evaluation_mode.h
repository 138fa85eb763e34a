#pragma once

#include <c10/core/GradMode.h>

#include "translate/model/transformer.h"

namespace translate {

/// For its life: no gradients, no dropout; afterwards the model is in the mode it was in before.
class EvaluationMode {
 public:
  explicit EvaluationMode(Transformer model) : model_(std::move(model)), was_training_(model_->is_training()) {
    model_->eval();
  }
  ~EvaluationMode() { model_->train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  Transformer model_;
  bool was_training_;
  c10::NoGradGuard no_grad_;
};

}  // namespace translate

#include "fused/activation_unit.h"

#include <algorithm>

#include "kernels/activation.h"

namespace translate::trainer {

void ActivationUnit::drop(const Chunk& chunk, float* rows) const {
  sentences_->drop(dropout_, chunk.rows.begin, chunk.rows.count(), width_, rows);
}

void ActivationUnit::activate_rows(const Chunk& chunk, float* rows) const {
  activate(activation_, rows, chunk.rows.count() * width_);
  drop(chunk, rows);
}

const float* ActivationUnit::forward(const Chunk& chunk, float* kept, float* scratch) const {
  if (!keeps_activations()) {
    std::copy_n(kept, chunk.rows.count() * width_, scratch);
  }
  float* activations = keeps_activations() ? kept : scratch;
  activate_rows(chunk, activations);
  return activations;
}

const float* ActivationUnit::backward(const Chunk& chunk, const float* kept, float* gradients, float* scratch) const {
  const auto size = chunk.rows.count() * width_;
  if (keeps_activations()) {
    rectify_backward(kept, dropout_.scale(), gradients, size);
    return kept;
  }
  drop(chunk, gradients);
  activate_backward(activation_, kept, gradients, size);
  std::copy_n(kept, size, scratch);
  activate_rows(chunk, scratch);
  return scratch;
}

}  // namespace translate::trainer

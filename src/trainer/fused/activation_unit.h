#pragma once

#include <cstdint>
#include <utility>

#include "config/options.h"
#include "fused/chunk.h"
#include "kernels/dropout_mask.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// The activation of a FeedForwardBlock and the dropout behind it, forward and backward, on the rows of a chunk.
class ActivationUnit {
 public:
  /// `width`: d_ff; `dropout`: on the activations.
  ActivationUnit(Activation activation, const DropoutMask& dropout, UnpaddedLayoutPointer sentences, std::int64_t width)
      : activation_(activation), dropout_(dropout), sentences_(std::move(sentences)), width_(width) {}

  /// Takes inputs of the activation in `kept`, leaves there what the backward pass needs, and returns the activations
  /// after dropout. They are in `kept` itself for ReLU, whose gradient follows from them; else in `scratch`.
  const float* forward(const Chunk& chunk, float* kept, float* scratch) const;

  /// Turns gradients of the activations after dropout into those of the inputs, in place. Returns the activations,
  /// which it computes again in `scratch` if they are not in `kept`.
  const float* backward(const Chunk& chunk, const float* kept, float* gradients, float* scratch) const;

 private:
  void drop(const Chunk& chunk, float* rows) const;
  /// Writes the activations after dropout.
  void activate_rows(const Chunk& chunk, float* rows) const;
  [[nodiscard]] bool keeps_activations() const { return activation_ == Activation::kRelu; }

  Activation activation_;
  DropoutMask dropout_;
  UnpaddedLayoutPointer sentences_;
  std::int64_t width_;
};

}  // namespace translate::trainer

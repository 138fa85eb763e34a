#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "translate/config/options.h"
#include "translate/model/dropout.h"
#include "translate/model/input_embeddings.h"
#include "translate/model/packed_sentences.h"

namespace translate {

/// sinusoidal_table (model/position_table.h) as a tensor, (1, length, d_model).
[[nodiscard]] at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t d_model);

/// dropout(x + position vectors). Sinusoidal ones go on past the starting length; learned ones (a table
/// `embedding.weight`, (max_positions, d_model)) end there; `none` adds nothing.
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  explicit PositionalEncodingImpl(const ModelOptions& options);

  /// x: (batch, length, d_model), its first row standing at position `offset` -> the same shape.
  /// Throws RuntimeError where a learned table is too short.
  at::Tensor forward(const at::Tensor& x, std::int64_t offset = 0);

  /// The vectors of positions [begin, end), (end - begin, d_model), on x's device and of its type.
  at::Tensor positions(const at::Tensor& x, std::int64_t begin, std::int64_t end);

  [[nodiscard]] PositionKind kind() const { return kind_; }

  EmbeddingTable embedding{nullptr};  ///< learned positions alone
  Dropout dropout{nullptr};

 private:
  PositionKind kind_;
  at::Tensor pe_;  ///< sinusoidal table; not registered: never saved, made again at need
};
TORCH_MODULE(PositionalEncoding);

}  // namespace translate

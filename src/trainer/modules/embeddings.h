#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "config/options.h"
#include "model/parameters.h"
#include "model/position_table.h"
#include "modules/dropout.h"
#include "modules/execution_context.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// A table with one vector per subword. `weight`: (vocab_size, d_model).
class EmbeddingTableImpl : public torch::nn::Module {
 public:
  /// `other`: the weight that it shares if the table of parameters ties the two; otherwise it creates one of its own.
  explicit EmbeddingTableImpl(const TableParameters& parameters, const at::Tensor& other = {});

  /// (batch, length) ids -> (batch, length, d_model).
  at::Tensor forward(const at::Tensor& ids);

  at::Tensor weight;
};
TORCH_MODULE(EmbeddingTable);

/// The id of a position without a subword, as SimCut makes it in training: it has the zero vector.
inline constexpr std::int64_t kCutId = -1;

/// Maps subword ids to vectors: embedding(ids) * sqrt(d_model) (paper, section 3.4), without the factor if
/// `embedding_scale` is false. In training, if word_dropout has a probability (0 at first), it zeroes whole vectors and
/// scales up the others (Sennrich et al. 2016, "Edinburgh neural machine translation systems for WMT 16", section 3.3;
/// Gal and Ghahramani 2016): each position independently, the start and end tokens included. With zero_start
/// (ModelOptions) the target's start token has the zero vector, whatever its row of the table. kCutId has it, too.
class InputEmbeddingsImpl : public torch::nn::Module {
 public:
  /// `other`: as for EmbeddingTable. `zero`: the subword that has the zero vector, or -1.
  InputEmbeddingsImpl(const ModelOptions& options, const EmbeddingParameters& parameters, const at::Tensor& other = {},
                      std::int64_t zero = -1);

  /// (batch, length) ids -> (batch, length, d_model); or the unpadded ids of `sentences`, (N) -> (N, d_model).
  at::Tensor forward(const at::Tensor& ids, const UnpaddedLayout* sentences = nullptr,
                     const ExecutionContext& context = {});

  /// The factor that multiplies the table's rows.
  [[nodiscard]] double factor() const { return factor_; }
  /// The subword that has the zero vector, or -1.
  [[nodiscard]] std::int64_t zero() const { return zero_; }

  EmbeddingTable embedding{nullptr};
  Dropout word_dropout{nullptr};

 private:
  double factor_;
  std::int64_t zero_;
};
TORCH_MODULE(InputEmbeddings);

/// sinusoidal_table (model/position_table.h) as a tensor, (1, length, d_model).
[[nodiscard]] at::Tensor sinusoidal_positions(std::int64_t length, const Sinusoids& sinusoids);

/// dropout(x + position vectors). The sinusoidal table grows past its initial length; a learned one (a table
/// `embedding.weight`, (max_positions, d_model)) does not; `none` adds nothing.
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  PositionalEncodingImpl(const ModelOptions& options, const PositionParameters& parameters);

  /// x: (batch, length, d_model), whose first row is at position `offset` -> the same shape. Throws RuntimeError if a
  /// learned table is too short.
  at::Tensor forward(const at::Tensor& x, std::int64_t offset = 0, const ExecutionContext& context = {});

  /// Returns the vectors of positions [begin, end), (end - begin, d_model), on the device and in the type of x.
  at::Tensor positions(const at::Tensor& x, std::int64_t begin, std::int64_t end);

  [[nodiscard]] PositionKind kind() const { return kind_; }

  EmbeddingTable embedding{nullptr};  ///< learned positions only
  Dropout dropout{nullptr};

 private:
  PositionKind kind_;
  Sinusoids sinusoids_;
  at::Tensor pe_;  ///< sinusoidal table; not registered: never saved, computed again when needed
};
TORCH_MODULE(PositionalEncoding);

}  // namespace translate::trainer

#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "translate/model/dropout.h"
#include "translate/model/packed_sentences.h"

namespace translate {

/// A table of one vector per piece. `weight`: (vocab_size, d_model). The table may be given, to share (tie) it.
class EmbeddingTableImpl : public torch::nn::Module {
 public:
  EmbeddingTableImpl(std::int64_t vocab_size, std::int64_t d_model);
  explicit EmbeddingTableImpl(const at::Tensor& shared_weight);

  /// (batch, length) ids -> (batch, length, d_model).
  at::Tensor forward(const at::Tensor& ids);

  at::Tensor weight;
};
TORCH_MODULE(EmbeddingTable);

/// Piece ids to vectors: embedding(ids) * sqrt(d_model) (paper, section 3.4); without the factor where `scale` is
/// false. In training, where word_dropout has a probability (0 at first), it zeroes whole vectors and scales up the
/// others (Sennrich et al. 2016, "Edinburgh neural machine translation systems for WMT 16", section 3.3; Gal and
/// Ghahramani 2016): each position by itself, start and end among them.
class InputEmbeddingsImpl : public torch::nn::Module {
 public:
  /// `table` is registered as `embedding`.
  InputEmbeddingsImpl(EmbeddingTable table, bool scale);

  /// (batch, length) ids -> (batch, length, d_model).
  at::Tensor forward(const at::Tensor& ids);

  /// The same for the ids of packed sentences, (N) -> (N, d_model), on the CPU.
  at::Tensor forward_packed(const at::Tensor& ids, const PackedSentences& sentences);

  /// What the table's rows are multiplied by.
  [[nodiscard]] double factor() const { return factor_; }

  EmbeddingTable embedding{nullptr};
  Dropout word_dropout{nullptr};

 private:
  double factor_;
};
TORCH_MODULE(InputEmbeddings);

}  // namespace translate

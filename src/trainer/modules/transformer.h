#pragma once

#include <c10/core/GradMode.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"
#include "model/memory_need.h"
#include "modules/decoder.h"
#include "modules/embeddings.h"
#include "modules/encoder.h"
#include "modules/execution_context.h"
#include "modules/linear_layers.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// The encoder-decoder Transformer (Vaswani et al. 2017). Modules and parameters bear the PyTorch reference's names,
/// e.g. `encoder.layers.0.self_attention_block.w_q.weight`. S: source length, T: target length, V: target vocabulary.
class TransformerImpl : public torch::nn::Module {
 public:
  TransformerImpl(const ModelOptions& options, const VocabularySizes& sizes);

  /// src: (batch, S) ids, tgt: (batch, T) ids beginning with sos -> logits (batch, T, V). Makes both masks. Padding of
  /// tgt must be at its end: on a GPU the decoder then needs no mask (AttentionPattern), and its output at padding
  /// differs from that on the CPU.
  at::Tensor forward(const at::Tensor& src, const at::Tensor& tgt, const ExecutionContext& context = {});

  /// Returns the decoder's output before the projection, (batch, T, d_model), for a loss that projects by itself.
  at::Tensor forward_features(const at::Tensor& src, const at::Tensor& tgt, const ExecutionContext& context = {});

  /// Returns the same for sentences without padding, at each row of tgt: (N, d_model). If the context is fused, nothing
  /// is computed for padding; LibTorch's operators get padded batches. src and tgt hold the same sentences of a batch.
  at::Tensor forward_unpadded(const UnpaddedIds& src, const UnpaddedIds& tgt, const ExecutionContext& context = {});

  /// src: (batch, S) ids, src_mask: (batch, 1, 1, S) -> encoder_output (batch, S, d_model).
  at::Tensor encode(const at::Tensor& src, const at::Tensor& src_mask, const ExecutionContext& context = {});

  /// tgt: (batch, T) ids, `self_pattern`: target_mask(tgt), or up_to_the_query() -> (batch, T, d_model).
  at::Tensor decode(const at::Tensor& encoder_output, const at::Tensor& src_mask, const at::Tensor& tgt,
                    const AttentionPattern& self_pattern, const ExecutionContext& context = {});

  /// The mask of the decoder's self-attention for tgt (batch, T): (batch, 1, T, T); undefined if it has none.
  [[nodiscard]] at::Tensor target_mask(const at::Tensor& tgt) const;

  /// (..., d_model) -> logits (..., V).
  at::Tensor project(const at::Tensor& x, const ExecutionContext& context = {});

  /// Starts step-by-step decoding: encodes src (batch, S) and prepares the cache.
  KeyValueCache start_cache(const at::Tensor& src);
  /// tokens: (batch, 1), the newest id of each row -> logits (batch, V) for the next one.
  at::Tensor decode_step(const at::Tensor& tokens, KeyValueCache& cache, const ExecutionContext& context = {});

  [[nodiscard]] const ModelOptions& options() const { return options_; }
  [[nodiscard]] const VocabularySizes& sizes() const { return sizes_; }

  Encoder encoder{nullptr};
  Decoder decoder{nullptr};
  InputEmbeddings src_embed{nullptr};
  InputEmbeddings tgt_embed{nullptr};
  PositionalEncoding src_pos{nullptr};
  PositionalEncoding tgt_pos{nullptr};
  ProjectionLayer projection_layer{nullptr};

 private:
  ModelOptions options_;
  VocabularySizes sizes_;
};
TORCH_MODULE(Transformer);

/// Switches off gradients and dropout for its lifetime; afterwards the model returns to its previous mode.
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

/// Builds a Transformer and initialises it from the default generator. `init: reference`: Xavier uniform for every
/// parameter of more than one dimension, PyTorch's own initialisation for the rest; `scaled`: the same, but embeddings
/// from N(0, d_model^-0.5); `fairseq`: moreover w_q, w_k and w_v with the gain 1 / sqrt(2), all other linear
/// layers with biases of 0, and an untied projection like an embedding (fairseq's modules/multihead_attention.py and
/// models/transformer). Throws ConfigError if options and sizes do not fit (one table for two vocabularies, say).
[[nodiscard]] Transformer build_transformer(const ModelOptions& options, const VocabularySizes& sizes);

/// Returns every parameter once, in order of registration; a tied weight is listed under its first name.
[[nodiscard]] std::vector<std::pair<std::string, at::Tensor>> unique_parameters(const Transformer& model);

/// Returns the number of trained values, tied ones counted once.
[[nodiscard]] std::int64_t parameter_count(const Transformer& model);

/// Copies `weights` into the model by name. Throws CheckpointError, which lists them, if weights are missing, left
/// over, or of another shape; `origin` names their file.
void load_parameters(Transformer& model, const std::vector<std::pair<std::string, at::Tensor>>& weights,
                     const std::string& origin);

}  // namespace translate::trainer

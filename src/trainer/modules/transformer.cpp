#include "modules/transformer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/nn/init.h>

#include <cmath>
#include <map>
#include <unordered_set>

#include "core/error.h"
#include "model/memory_need.h"
#include "modules/masks.h"
#include "modules/sublayer_kernels.h"

namespace translate::trainer {

namespace {

void check_tying(const ModelOptions& options, const VocabularySizes& sizes) {
  if (options.tie_embeddings == EmbeddingTying::kAll &&
      (sizes.source != sizes.target || sizes.source_pad != sizes.target_pad)) {
    throw ConfigError(
        fmt::format("model.tie_embeddings: \"all\" needs one vocabulary for both languages, but the source has {} "
                    "subwords and the target {}; set tokenizer.shared to true or tie \"decoder\"",
                    sizes.source, sizes.target));
  }
}

/// Draws the values that belong to the whole model (InitialValues). The others are those of the modules' constructors.
void initialise(Transformer& model) {
  const at::NoGradGuard no_grad;
  const auto tensors = model->named_parameters();
  for (const auto& parameter : list_parameters(describe_parameters(model->options(), model->sizes()))) {
    const auto& tensor = tensors[parameter.name];
    if (parameter.is_tied()) {
      continue;
    }
    switch (parameter.initial) {
      case InitialValues::kOnes:
      case InitialValues::kUniform:
        break;
      case InitialValues::kZeros:
        tensor.zero_();
        break;
      case InitialValues::kXavier:
        torch::nn::init::xavier_uniform_(tensor);
        break;
      case InitialValues::kXavierHalfVariance:
        torch::nn::init::xavier_uniform_(tensor, /*gain=*/1.0 / std::sqrt(2.0));
        break;
      case InitialValues::kNormal:
        tensor.normal_(0.0, 1.0 / std::sqrt(static_cast<double>(tensor.size(1))));
        break;
    }
  }
}

/// ids (batch, length) -> embeddings with positions (batch, length, d_model). Reports each stage; `side`: src or tgt.
at::Tensor embedded(const std::string& side, InputEmbeddings& embed, PositionalEncoding& pos, const at::Tensor& ids,
                    const ExecutionContext& context) {
  const auto embeddings = embed(ids, /*sentences=*/nullptr, context.within(side + "_embed"));
  context.observe(side + "_embed", embeddings);
  const auto stages = context.within(side + "_pos");
  auto x = pos(embeddings, /*offset=*/0, stages);
  stages.observe("output", x);
  return x;
}

/// Returns the embeddings of unpadded ids with positions, (N, d_model).
at::Tensor embedded_unpadded(InputEmbeddings& embed, PositionalEncoding& pos, const UnpaddedIds& input,
                             const SublayerKernels& kernels) {
  const auto& [ids, sentences] = input;
  if (pos->kind() == PositionKind::kLearned) {
    const auto x = embed(ids, sentences.get());
    const auto rows = pos->positions(x, 0, sentences->padded_length()).index_select(0, sentences->positions());
    return pos->dropout(x + rows, sentences.get());
  }
  const auto& table = embed->embedding->weight;
  return kernels.embedding(
      table, ids,
      {.factor = embed->factor(),
       .zero = embed->zero(),
       .positions =
           pos->kind() == PositionKind::kNone ? at::Tensor() : pos->positions(table, 0, sentences->padded_length()),
       .words = embed->word_dropout->draw(),
       .dropout = pos->dropout->draw(),
       .sentences = sentences});
}

}  // namespace

TransformerImpl::TransformerImpl(const ModelOptions& options, const VocabularySizes& sizes)
    : options_(options), sizes_(sizes) {
  check_tying(options, sizes);
  check_memory_need(options, sizes, kBytesOfWeight, *cpu_device());
  const auto table = describe_parameters(options, sizes);
  encoder = register_module(table.encoder.module, Encoder(options, table.encoder));
  decoder = register_module(table.decoder.module, Decoder(options, table.decoder));
  src_embed = register_module(table.src_embed.module, InputEmbeddings(options, table.src_embed));
  tgt_embed = register_module(
      table.tgt_embed.module,
      InputEmbeddings(options, table.tgt_embed, src_embed->embedding->weight, zero_subword(options, sizes)));
  src_pos = register_module(table.src_pos.module, PositionalEncoding(options, table.src_pos));
  tgt_pos = register_module(table.tgt_pos.module, PositionalEncoding(options, table.tgt_pos));
  projection_layer = register_module(table.projection_layer.module,
                                     ProjectionLayer(table.projection_layer, tgt_embed->embedding->weight));
}

at::Tensor TransformerImpl::forward_features(const at::Tensor& src, const at::Tensor& tgt,
                                             const ExecutionContext& context) {
  const auto src_mask = padding_mask(src, sizes_.source_pad);
  const auto encoder_output = encode(src, src_mask, context);
  if (!tgt.is_cpu() && !context.is_observed()) {
    return decode(encoder_output, src_mask, tgt, AttentionPattern::up_to_the_query(), context);
  }
  return decode(encoder_output, src_mask, tgt, target_mask(tgt), context);
}

at::Tensor TransformerImpl::target_mask(const at::Tensor& tgt) const {
  return options_.decoder == DecoderKind::kSsru ? at::Tensor() : decoder_mask(tgt, sizes_.target_pad);
}

at::Tensor TransformerImpl::forward_unpadded(const UnpaddedIds& src, const UnpaddedIds& tgt,
                                             const ExecutionContext& context) {
  const auto* kernels = context.kernels();
  if (kernels == nullptr) {
    const auto features = forward_features(src.padded(sizes_.source_pad), tgt.padded(sizes_.target_pad),
                                           context.over(tgt.sentences));             // (batch, T, d_model)
    return features.flatten(0, 1).index_select(0, tgt.sentences->padded_indices());  // (N, d_model)
  }
  const auto memory = encoder(embedded_unpadded(src_embed, src_pos, src, *kernels),
                              AttentionPattern(src.sentences, src.sentences, /*is_causal=*/false), context);
  return decoder(embedded_unpadded(tgt_embed, tgt_pos, tgt, *kernels), memory,
                 AttentionPattern(tgt.sentences, src.sentences, /*is_causal=*/false),
                 AttentionPattern(tgt.sentences, tgt.sentences, /*is_causal=*/true), context);
}

at::Tensor TransformerImpl::forward(const at::Tensor& src, const at::Tensor& tgt, const ExecutionContext& context) {
  return project(forward_features(src, tgt, context), context);  // (batch, T, V)
}

at::Tensor TransformerImpl::encode(const at::Tensor& src, const at::Tensor& src_mask, const ExecutionContext& context) {
  const auto x = embedded("src", src_embed, src_pos, src, context);
  context.observe("src_mask", src_mask);
  return encoder(x, src_mask, context.within("encoder"));  // (batch, S, d_model)
}

at::Tensor TransformerImpl::decode(const at::Tensor& encoder_output, const at::Tensor& src_mask, const at::Tensor& tgt,
                                   const AttentionPattern& self_pattern, const ExecutionContext& context) {
  const auto x = embedded("tgt", tgt_embed, tgt_pos, tgt, context);
  if (self_pattern.mask.defined()) {
    context.observe("tgt_mask", self_pattern.mask);
  }
  return decoder(x, encoder_output, src_mask, self_pattern, context.within("decoder"));  // (batch, T, d_model)
}

at::Tensor TransformerImpl::project(const at::Tensor& x, const ExecutionContext& context) {
  auto logits = projection_layer(x);
  context.observe("projection_layer", logits);
  return logits;
}

KeyValueCache TransformerImpl::start_cache(const at::Tensor& src) {
  const auto src_mask = padding_mask(src, sizes_.source_pad);
  return decoder->start_cache(encode(src, src_mask), src_mask);
}

at::Tensor TransformerImpl::decode_step(const at::Tensor& tokens, KeyValueCache& cache,
                                        const ExecutionContext& context) {
  const auto x = tgt_pos(tgt_embed(tokens), cache.length());                               // (batch, 1, d_model)
  return project(decoder->step(x, cache, context.within("decoder")), context).squeeze(1);  // (batch, V)
}

Transformer build_transformer(const ModelOptions& options, const VocabularySizes& sizes) {
  Transformer model(options, sizes);
  initialise(model);
  return model;
}

std::vector<std::pair<std::string, at::Tensor>> unique_parameters(const Transformer& model) {
  std::vector<std::pair<std::string, at::Tensor>> unique;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& item : model->named_parameters()) {
    if (seen.insert(item.value().unsafeGetTensorImpl()).second) {
      unique.emplace_back(item.key(), item.value());
    }
  }
  return unique;
}

std::int64_t parameter_count(const Transformer& model) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : unique_parameters(model)) {
    count += parameter.numel();
  }
  return count;
}

void load_parameters(Transformer& model, const std::vector<std::pair<std::string, at::Tensor>>& weights,
                     const std::string& origin) {
  const auto shapes_of = [](const auto& tensors) {
    ParameterShapes shapes;
    for (const auto& [name, tensor] : tensors) {
      shapes.emplace_back(name, tensor.sizes().vec());
    }
    return shapes;
  };
  const auto parameters = unique_parameters(model);
  check_shapes(shapes_of(parameters), shapes_of(weights), origin);
  const std::map<std::string, at::Tensor> given(weights.begin(), weights.end());
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) {
    at::Tensor(parameter).copy_(given.at(name));
  }
}

}  // namespace translate::trainer

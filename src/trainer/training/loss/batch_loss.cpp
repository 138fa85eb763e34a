#include "training/loss/batch_loss.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/aligning_attention.h"
#include "tensors/device.h"
#include "training/loss/guided_loss.h"
#include "training/loss/token_cut.h"

namespace translate::trainer {

namespace {

/// The fastest method that the context allows.
LossMethod method_for(const ExecutionContext& context) {
  if (!context.device().is_cpu()) {
    return LossMethod::kOperators;
  }
  return context.kernels() != nullptr ? LossMethod::kFused : LossMethod::kBlocks;
}

/// The sentences once, or for both passes, of which the second one reads `second`.
UnpaddedIds model_input(const UnpaddedIds& input, const UnpaddedIds& second, KeptPositions kept,
                        const LossSettings& settings) {
  if (settings.sim_cut > 0.0) {
    return with_cut(input, second, settings.cut_probability, kept);
  }
  return settings.has_two_passes() ? input.followed_by(second) : input;
}

/// Computes the features of loss_inputs. Autocast is on where the precision asks for it.
LossInputs compute_inputs(Transformer& model, const Batch& batch, const LossSettings& settings,
                          const ExecutionContext& context) {
  const auto source =
      model_input(batch.encoder_input, batch.source_of_second_pass(), KeptPositions::kFirstAndLast, settings);
  const auto target = model_input(batch.decoder_input, batch.decoder_input, KeptPositions::kFirst, settings);
  const auto features = model->forward_unpadded(source, target, context);  // (N or 2 N, d_model)
  const auto& projection = model->projection_layer->proj;
  return {.features = features.contiguous(),
          .weight = projection->weight,
          .bias = projection->bias,
          .targets = {.labels = batch.label, .predictions = settings.teacher > 0.0 ? batch.predictions : std::nullopt}};
}

LossSums translation_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                          const ExecutionContext& context) {
  const AutocastGuard autocast(context.device(), context.precision());
  const auto inputs = compute_inputs(model, batch, settings, context);
  return projected_loss(inputs, settings, method_for(context), context.factor_type());
}

/// The attention that the links of a batch guide: the head that predicts, and that of inputs if the model has one.
std::vector<AligningAttention> guided_heads(const ModelOptions& options) {
  std::vector<AligningAttention> heads = {guided_attention(options)};
  if (options.input_alignment_layer) {
    heads.push_back(aligning_attention(options));
  }
  return heads;
}

/// The layers of these heads, each once.
std::vector<CrossAttentionInput> inputs_of(const std::vector<AligningAttention>& heads) {
  std::vector<CrossAttentionInput> inputs;
  for (const auto& head : heads) {
    if (std::ranges::find(inputs, head.layer, &CrossAttentionInput::layer) == inputs.end()) {
      inputs.push_back({.layer = head.layer});
    }
  }
  return inputs;
}

void add_guided_loss(const at::Tensor& loss, double factor, LossSums& sums) {
  if (loss.defined()) {
    sums.minimised = sums.minimised + factor * loss;
    sums.guided = sums.guided.defined() ? sums.guided + loss.detach() : loss.detach();
  }
}

}  // namespace

LossInputs loss_inputs(Transformer& model, const Batch& batch, const LossSettings& settings,
                       const ExecutionContext& context) {
  const AutocastGuard autocast(context.device(), context.precision());
  return compute_inputs(model, batch, settings, context);
}

LossSums batch_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                    const ExecutionContext& context) {
  const bool is_guided = settings.guided > 0.0 && batch.links;
  const auto heads = is_guided ? guided_heads(model->options()) : std::vector<AligningAttention>();
  auto inputs = inputs_of(heads);
  auto sums = translation_loss(model, batch, settings, context.storing(inputs));
  for (const auto& head : heads) {
    const auto input = std::ranges::find(inputs, head.layer, &CrossAttentionInput::layer);
    add_guided_loss(guided_loss(*input, model->decoder->cross_attention(head.layer), head, batch), settings.guided,
                    sums);
  }
  return sums;
}

}  // namespace translate::trainer

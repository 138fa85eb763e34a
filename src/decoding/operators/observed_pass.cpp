#include "decoding/operators/observed_pass.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "decoding/search/subword_constraints.h"
#include "model/modules/masks.h"
#include "model/modules/transformer.h"
#include "tensors/device.h"

namespace translate {

namespace {

constexpr std::int64_t kLikeliest = 5;  // subwords shown at each step

std::vector<std::string> subwords_of(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
  std::vector<std::string> subwords;
  for (const auto id : ids) {
    subwords.push_back(tokenizer.subword(id));
  }
  return subwords;
}

at::Tensor row_of(const std::vector<std::int64_t>& ids, const at::Device& device) {
  return at::tensor(ids, at::kLong).unsqueeze(0).to(device);  // (1, length)
}

StageObserver keeping(std::vector<Stage>& stages) {
  return [&stages](const std::string& name, const at::Tensor& value) {
    stages.push_back({name, value.dtype() == at::kBool ? value.cpu() : value.to(at::kCPU, at::kFloat)});
  };
}

/// logits (..., V) -> probabilities (..., V) of the subwords that a search may generate.
at::Tensor next_subword_probabilities(const at::Tensor& logits, const SpecialTokens& target) {
  auto rows = logits.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true).contiguous();
  const auto subwords = static_cast<std::size_t>(rows.size(-1));
  for (std::span<float> left(rows.mutable_data_ptr<float>(), static_cast<std::size_t>(rows.numel())); !left.empty();
       left = left.subspan(subwords)) {
    forbid_special_subwords(target, left.first(subwords));
  }
  return rows.softmax(-1);
}

std::vector<std::int64_t> shape_of(const std::vector<Stage>& stages, const std::string& name) {
  return stage_value(stages, name).sizes().vec();
}

/// The encoder's results, for the steps that follow.
struct Encoded {
  at::Tensor output;    ///< (1, S, d_model)
  at::Tensor src_mask;  ///< (1, 1, 1, S)
};

Encoded encode(Transformer& model, const std::vector<std::int64_t>& encoder_input, const ExecutionContext& context) {
  const auto src = row_of(encoder_input, context.device());
  const auto src_mask = padding_mask(src, model->sizes().source_pad);
  return {.output = model->encode(src, src_mask, context), .src_mask = src_mask};
}

/// Decodes ids that begin with sos, and returns the logits (1, t, V).
at::Tensor decode(Transformer& model, const Encoded& encoded, const std::vector<std::int64_t>& ids,
                  const ExecutionContext& context) {
  const auto tgt = row_of(ids, context.device());
  const auto tgt_mask = decoder_mask(tgt, model->sizes().target_pad);
  return model->project(model->decode(encoded.output, encoded.src_mask, tgt, tgt_mask, context), context);
}

}  // namespace

const at::Tensor& stage_value(const std::vector<Stage>& stages, const std::string& name) {
  const auto found = std::ranges::find(stages, name, &Stage::name);
  if (found == stages.end()) {
    throw std::out_of_range("no stage is called " + name);
  }
  return found->value;
}

ObservedPass observe_pass(const ObservedModel& observed, const TranslatedPart& part) {
  auto model = observed.modules;
  const EvaluationMode evaluation(model);
  const AutocastGuard autocast(observed.device, observed.precision);
  const auto& tokenizers = observed.tokenizers;
  const auto& special = tokenizers.target.special_tokens();
  ObservedPass pass;
  pass.encoder_input = part.encoder_input;
  pass.generated = part.hypothesis.ids;
  if (!part.hypothesis.truncated) {
    pass.generated.push_back(special.eos);
  }
  pass.decoder_input = {special.sos};
  pass.decoder_input.insert(pass.decoder_input.end(), pass.generated.begin(), std::prev(pass.generated.end()));
  pass.encoder_subwords = subwords_of(tokenizers.source, pass.encoder_input);
  pass.decoder_subwords = subwords_of(tokenizers.target, pass.decoder_input);
  pass.generated_subwords = subwords_of(tokenizers.target, pass.generated);
  const ExecutionContext context(observed.device, observed.precision);
  const auto encoded = encode(model, pass.encoder_input, context.observed_by(keeping(pass.encoder)));
  const auto logits = decode(model, encoded, pass.decoder_input, context.observed_by(keeping(pass.decoder)));
  pass.probabilities = next_subword_probabilities(logits, special)[0];
  return pass;
}

std::vector<WalkStep> walk_steps(const ObservedModel& observed, const ObservedPass& pass, std::int64_t layer) {
  auto model = observed.modules;
  if (layer < 0 || layer >= model->options().decoder_layers) {
    throw std::out_of_range(fmt::format("the decoder has no layer {}", layer));
  }
  const EvaluationMode evaluation(model);
  const AutocastGuard autocast(observed.device, observed.precision);
  const ExecutionContext context(observed.device, observed.precision);
  const auto encoded = encode(model, pass.encoder_input, context);
  const auto block = fmt::format("decoder.layers.{}.", layer);
  std::vector<WalkStep> steps;
  std::vector<std::int64_t> so_far;
  for (const auto id : pass.decoder_input) {
    so_far.push_back(id);
    std::vector<Stage> stages;
    const auto logits = decode(model, encoded, so_far, context.observed_by(keeping(stages)));
    const auto next = next_subword_probabilities(logits[0][-1], observed.tokenizers.target.special_tokens());  // (V)
    const auto [best, ids] = next.topk(std::min(kLikeliest, next.size(0)));
    WalkStep step{.decoder_input_shape = shape_of(stages, "tgt_pos.output"),
                  .self_attention_shape = shape_of(stages, block + "self_attention_block.weights"),
                  .cross_attention_shape = shape_of(stages, block + "cross_attention_block.weights"),
                  .output_shape = shape_of(stages, "decoder.output"),
                  .likeliest = {},
                  .likelihoods = {},
                  .cross_attention = stage_value(stages, block + "cross_attention_block.weights")
                                         .mean(/*dim=*/1)
                                         .select(0, 0)
                                         .select(0, -1)};  // (1, h, t, S) -> (1, t, S) -> (t, S) -> (S)
    for (std::int64_t i = 0; i < best.size(0); ++i) {
      step.likeliest.push_back(ids[i].item<std::int64_t>());
      step.likelihoods.push_back(best[i].item<double>());
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace translate

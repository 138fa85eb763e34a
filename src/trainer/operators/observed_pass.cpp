#include "operators/observed_pass.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "decoding/search/subword_constraints.h"
#include "modules/masks.h"
#include "modules/transformer.h"
#include "operators/padded_ids.h"
#include "tensors/device.h"
#include "text/control_subwords.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kLikeliest = 5;  // subwords shown at each step

std::vector<std::string> subwords_of(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
  std::vector<std::string> subwords;
  for (const auto id : ids) {
    subwords.push_back(tokenizer.subword(id));
  }
  return subwords;
}

at::Tensor row_of(const std::vector<std::int64_t>& ids) {
  return at::tensor(ids, at::kLong).unsqueeze(0);  // (1, length)
}

/// Returns the subwords that were generated, with eos at the end unless the part was truncated at the length limit.
std::vector<std::int64_t> generated_subwords(const TranslatedPart& part, const SpecialTokens& target) {
  auto ids = part.hypothesis.ids;
  if (!part.hypothesis.truncated) {
    ids.push_back(target.eos);
  }
  return ids;
}

/// Returns the decoder's input that generated these subwords: sos and all of them but the last.
std::vector<std::int64_t> decoder_input_of(const std::vector<std::int64_t>& generated, const SpecialTokens& target) {
  std::vector<std::int64_t> ids = {target.sos};
  ids.insert(ids.end(), generated.begin(), std::prev(generated.end()));
  return ids;
}

StageObserver keeping(std::vector<Stage>& stages) {
  return [&stages](const std::string& name, const at::Tensor& value) {
    stages.push_back({name, value.dtype() == at::kBool ? value.cpu() : value.to(at::kCPU, at::kFloat)});
  };
}

std::vector<std::int64_t> never_generated(const Tokenizer& target) {
  return translate::never_generated(target.special_tokens(), control_subwords(target));
}

/// logits (..., V) -> probabilities (..., V) of the subwords that a search may generate: all but those of `never`.
at::Tensor next_subword_probabilities(const at::Tensor& logits, std::span<const std::int64_t> never) {
  auto rows = logits.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true).contiguous();
  const auto subwords = static_cast<std::size_t>(rows.size(-1));
  for (std::span<float> left(rows.mutable_data_ptr<float>(), static_cast<std::size_t>(rows.numel())); !left.empty();
       left = left.subspan(subwords)) {
    forbid_subwords(never, left.first(subwords));
  }
  return rows.softmax(-1);
}

std::vector<std::int64_t> shape_of(const std::vector<Stage>& stages, const std::string& name) {
  return stage_value(stages, name).sizes().vec();
}

/// The encoder's results, for the steps that follow.
struct Encoded {
  at::Tensor output;    ///< (B, S, d_model)
  at::Tensor src_mask;  ///< (B, 1, 1, S)
};

/// Encodes ids (B, S).
Encoded encode(Transformer& model, const at::Tensor& ids, const ExecutionContext& context) {
  const auto src = ids.to(context.device());
  const auto src_mask = padding_mask(src, model->sizes().source_pad);
  return {.output = model->encode(src, src_mask, context), .src_mask = src_mask};
}

/// Decodes ids (B, t) that begin with sos, and returns the logits (B, t, V).
at::Tensor decode(Transformer& model, const Encoded& encoded, const at::Tensor& ids, const ExecutionContext& context) {
  const auto tgt = ids.to(context.device());
  return model->project(model->decode(encoded.output, encoded.src_mask, tgt, model->target_mask(tgt), context),
                        context);
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
  pass.generated = generated_subwords(part, special);
  pass.decoder_input = decoder_input_of(pass.generated, special);
  pass.encoder_subwords = subwords_of(tokenizers.source, pass.encoder_input);
  pass.decoder_subwords = subwords_of(tokenizers.target, pass.decoder_input);
  pass.generated_subwords = subwords_of(tokenizers.target, pass.generated);
  const ExecutionContext context(observed.device, observed.precision);
  const auto encoded = encode(model, row_of(pass.encoder_input), context.observed_by(keeping(pass.encoder)));
  const auto logits = decode(model, encoded, row_of(pass.decoder_input), context.observed_by(keeping(pass.decoder)));
  pass.probabilities = next_subword_probabilities(logits, never_generated(tokenizers.target))[0];
  return pass;
}

ObservedBatch observe_batch(const ObservedModel& observed, std::span<const TranslatedPart> parts) {
  auto model = observed.modules;
  const EvaluationMode evaluation(model);
  const AutocastGuard autocast(observed.device, observed.precision);
  const auto& special = observed.tokenizers.target.special_tokens();
  std::vector<std::span<const std::int64_t>> source_rows;
  std::vector<std::vector<std::int64_t>> targets;
  for (const auto& part : parts) {
    source_rows.emplace_back(part.encoder_input);
    targets.push_back(decoder_input_of(generated_subwords(part, special), special));
  }
  const std::vector<std::span<const std::int64_t>> target_rows(targets.begin(), targets.end());
  ObservedBatch batch{.source = padded_ids(source_rows, model->sizes().source_pad),
                      .target = padded_ids(target_rows, model->sizes().target_pad),
                      .encoder = {},
                      .decoder = {}};
  const ExecutionContext context(observed.device, observed.precision);
  const auto encoded = encode(model, batch.source, context.observed_by(keeping(batch.encoder)));
  (void)decode(model, encoded, batch.target, context.observed_by(keeping(batch.decoder)));
  return batch;
}

std::vector<WalkStep> walk_steps(const ObservedModel& observed, const ObservedPass& pass, std::int64_t layer) {
  auto model = observed.modules;
  if (layer < 0 || layer >= model->options().decoder_layers) {
    throw std::out_of_range(fmt::format("the decoder has no layer {}", layer));
  }
  const EvaluationMode evaluation(model);
  const AutocastGuard autocast(observed.device, observed.precision);
  const ExecutionContext context(observed.device, observed.precision);
  const auto encoded = encode(model, row_of(pass.encoder_input), context);
  const auto block = fmt::format("decoder.layers.{}.", layer);
  const char* within_target =
      model->options().decoder == DecoderKind::kSsru ? "recurrent_unit.state" : "self_attention_block.weights";
  const auto never = never_generated(observed.tokenizers.target);
  std::vector<WalkStep> steps;
  std::vector<std::int64_t> so_far;
  for (const auto id : pass.decoder_input) {
    so_far.push_back(id);
    std::vector<Stage> stages;
    const auto logits = decode(model, encoded, row_of(so_far), context.observed_by(keeping(stages)));
    const auto next = next_subword_probabilities(logits[0][-1], never);  // (V)
    const auto [best, ids] = next.topk(std::min(kLikeliest, next.size(0)));
    WalkStep step{.decoder_input_shape = shape_of(stages, "tgt_pos.output"),
                  .within_target_shape = shape_of(stages, block + within_target),
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

}  // namespace translate::trainer

#include "training/validator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "checkpoint/manifest.h"
#include "decoding/operators/libtorch_backend.h"
#include "metrics/bleu.h"
#include "tensors/device.h"
#include "training/loss/batch_loss.h"

namespace translate {

RecordedValidation record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state) {
  RecordedValidation recorded;
  const bool is_trained = state.step > 0;
  const double score = metric == BestMetric::kBleu ? result.bleu : result.loss;
  if (std::isfinite(score)) {  // a score that is not finite says nothing: the next step reports the error
    recorded.score = score;
    state.last_validation = ValidationScore{.score = score, .step = state.step};
    recorded.is_best = is_trained && (!state.best_validation || is_better(metric, score, state.best_validation->score));
  }
  if (recorded.is_best) {
    state.best_validation = state.last_validation;
    state.validations_since_best = 0;
  } else if (is_trained) {
    ++state.validations_since_best;
  }
  return recorded;
}

void forget_best_of_step_0(TrainingState& state) {
  if (!state.best_validation || state.best_validation->step > 0) return;
  state.best_validation.reset();
  state.validations_since_best = 0;
}

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Batch within_positions(Batch batch, const ModelOptions& options) {
  const auto length = options.max_positions;
  const bool fits =
      options.positions != PositionKind::kLearned || std::max(batch.source_length(), batch.target_length()) <= length;
  return fits ? std::move(batch) : batch.truncated(length);
}

Validator::Validator(Transformer model, const TrainingData& data, const Config& config, TranslatorOptions options)
    : model_(std::move(model)),
      data_(data),
      loader_options_(validation_loader_options(config, options.device)),
      options_(std::move(options)),
      limit_(options_.device, "validation") {
  options_.decoding = greedy_options(options_.decoding);
}

double Validator::mean_loss(std::int64_t& target_tokens) {
  const EvaluationMode evaluation(model_);
  const ExecutionContext context(options_.device, options_.precision);
  const AutocastGuard autocast(context.device(), context.precision());  // keeps weights in bf16 for all batches
  auto sum = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(options_.device));
  EpochLoader loader(data_.validation, data_.tokenizers, loader_options_, /*epoch=*/0);
  while (auto next = loader.next()) {
    const auto batch = within_positions(std::move(*next), model_->options());
    limit_.in_chunks(batch.sentences(), batch.width(), [&](std::int64_t begin, std::int64_t end) {
      const auto chunk = batch.slice(begin, end);
      sum += batch_loss(model_, chunk.to(options_.device), /*settings=*/{}, context).plain;
    });
    target_tokens += batch.target_tokens();
  }
  return sum.item<double>() / static_cast<double>(target_tokens);
}

ValidationResult Validator::validate() {
  const auto start = Clock::now();
  ValidationResult result;
  result.loss = mean_loss(result.target_tokens);
  if (!std::isfinite(result.loss)) {
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;  // there is nothing to report: the next step finds the cause
  }
  Translator translator(make_inference_model(model_, options_.device, options_.precision), data_.tokenizers.source,
                        data_.tokenizers.target, options_);
  std::vector<std::string> hypotheses;
  for (auto& translation : translator.translate(data_.validation_text.source)) {
    hypotheses.push_back(std::move(translation.text));
  }
  result.bleu = corpus_bleu(hypotheses, data_.validation_text.target).score;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace translate

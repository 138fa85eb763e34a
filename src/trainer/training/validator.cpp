#include "training/validator.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "checkpoint/manifest.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "operators/operator_model.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"
#include "training/data_parallel/process_share.h"
#include "training/loss/batch_loss.h"

namespace translate::trainer {

namespace {

double score_of(const ValidationResult& result, BestMetric metric) {
  if (metric == BestMetric::kLoss) {
    return result.loss;
  }
  return metric == BestMetric::kChrf ? result.chrf : result.bleu;
}

}  // namespace

RecordedValidation record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state) {
  RecordedValidation recorded;
  const bool is_trained = state.step > 0;
  const double score = score_of(result, metric);
  if (std::isfinite(score)) {  // a score that is not finite says nothing: the next step reports the error
    recorded.score = ValidationScore{.score = score, .step = state.step};
    if (std::isfinite(result.loss)) {
      recorded.score->loss = result.loss;
    }
    state.last_validation = recorded.score;
    recorded.is_best =
        is_trained && (!state.best_validation || is_better(metric, *recorded.score, *state.best_validation));
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
  if (!state.best_validation || state.best_validation->step > 0) {
    return;
  }
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

Validator::Validator(Transformer model, const TrainingData& data, const Config& config, const c10::Device& device)
    : model_(std::move(model)),
      data_(data),
      groups_(group_by_languages(config.data,
                                 config.data.validation.fraction > 0 ? config.data.train : config.data.validation.files,
                                 data.validation_text.origin)),
      loader_options_(validation_loader_options(config, device)),
      tokenization_(config.training.bleu_tokenization),
      shown_(static_cast<std::size_t>(config.training.show_translations)),
      precision_(resolve_precision(config.training.precision, kind_of(device))),
      options_(translator_options(config)),
      device_(device),
      limit_(compute_device(device), "validation") {
  options_.decoding = greedy_options(options_.decoding);
  options_.warn = false;
}

double Validator::mean_loss(ProcessGroup& group, std::int64_t& target_tokens) {
  const EvaluationMode evaluation(model_);
  const ExecutionContext context(device_, precision_);
  const AutocastGuard autocast(context.device(), context.precision());  // keeps weights in bf16 for all batches
  auto sum = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device_));
  std::int64_t own_tokens = 0;
  auto loader_options = loader_options_;
  loader_options.process = process_share(group);
  EpochLoader loader(data_.validation, data_.tokenizers, loader_options, /*epoch=*/0);
  while (auto next = loader.next()) {
    if (next->sentences() == 0) {
      continue;
    }
    const auto batch = within_positions(std::move(*next), model_->options());
    limit_.in_chunks(batch.sentences(), batch.width(), [&](std::int64_t begin, std::int64_t end) {
      const auto chunk = batch.slice(begin, end);
      sum += batch_loss(model_, chunk.to(device_), /*settings=*/{}, context).plain;
    });
    own_tokens += batch.target_tokens();
  }
  const auto sums = at::tensor({sum.item<double>(), static_cast<double>(own_tokens)}, at::kDouble);
  group.sum(sums);
  const auto* values = sums.const_data_ptr<double>();
  target_tokens = static_cast<std::int64_t>(values[1]);
  return values[0] / values[1];
}

Validator::Hypotheses Validator::translate(ProcessGroup& group) {
  Translator translator(make_inference_model(model_, device_, precision_), data_.tokenizers.source,
                        data_.tokenizers.target, options_);
  const auto& lines = data_.validation_text.source;
  const auto begin_of = [&](int rank) { return lines.begin() + std::ssize(lines) * rank / group.size(); };
  std::vector<std::string> texts;
  std::vector<std::string> log_probabilities;  // as text, which gives back the very number
  for (auto& translation :
       translator.translate(std::vector<std::string>(begin_of(group.rank()), begin_of(group.rank() + 1)))) {
    texts.push_back(std::move(translation.text));
    const auto subwords = static_cast<double>(translation.token_scores.size());  // 0 for a blank line: not a number
    log_probabilities.push_back(fmt::format("{}", translation.score / subwords));
  }
  Hypotheses all{.texts = group.gather_lists(texts), .log_probabilities = {}};
  for (const auto& text : group.gather_lists(log_probabilities)) {
    all.log_probabilities.push_back(std::stod(text));
  }
  return all;
}

namespace {

std::optional<Confidence> measure_confidence(std::span<const double> log_probabilities,
                                             const SentenceCounts& chrf_counts, const Chrf& chrf) {
  std::vector<Confidence::Sentence> sentences;
  for (std::size_t i = 0; i < log_probabilities.size(); ++i) {
    if (std::isfinite(log_probabilities[i])) {
      sentences.push_back({.log_probability = log_probabilities[i], .chrf = chrf.score(chrf_counts.row(i))});
    }
  }
  return Confidence::measure(std::move(sentences));
}

}  // namespace

void Validator::score(const Hypotheses& hypotheses, ValidationResult& result) const {
  const Bleu bleu({.tokenization = tokenization_});
  const Chrf chrf;
  const References references(&data_.validation_text.target, 1);
  const SentenceCounts bleu_counts(bleu, "BLEU", hypotheses.texts, references);
  const SentenceCounts chrf_counts(chrf, "chrF", hypotheses.texts, references);
  result.bleu = bleu.score(bleu_counts.sums());
  result.chrf = chrf.score(chrf_counts.sums());
  result.confidence = measure_confidence(hypotheses.log_probabilities, chrf_counts, chrf);
  for (const auto& group : groups_) {
    const std::span<const std::size_t> sentences(group.sentences);
    result.directions.push_back({.name = group.name(),
                                 .bleu = bleu.score(bleu_counts.sums_of(sentences)),
                                 .chrf = chrf.score(chrf_counts.sums_of(sentences))});
  }
}

std::vector<ShownTranslation> Validator::first_ones(const std::vector<std::string>& hypotheses) const {
  std::vector<ShownTranslation> shown;
  for (std::size_t i = 0; i < std::min(shown_, hypotheses.size()); ++i) {
    shown.push_back({.source = data_.validation_text.source[i],
                     .reference = data_.validation_text.target[i],
                     .translation = hypotheses[i]});
  }
  return shown;
}

ValidationResult Validator::validate(ProcessGroup& group) {
  const auto start = Clock::now();
  const auto long_work = group.long_work();
  ValidationResult result;
  result.loss = mean_loss(group, result.target_tokens);
  if (!std::isfinite(result.loss)) {
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;  // there is nothing to report: the next step finds the cause
  }
  const auto hypotheses = translate(group);
  score(hypotheses, result);
  result.shown = first_ones(hypotheses.texts);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace translate::trainer

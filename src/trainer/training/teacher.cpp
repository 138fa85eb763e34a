#include "training/teacher.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "fused/fused_sublayers.h"
#include "operators/operator_model.h"
#include "tensors/device.h"
#include "tensors/unpadded_layout.h"
#include "text/tokenizer_agreement.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kMostPredictions = 8;   // of a label
constexpr double kLeastProbability = 0.005;    // of a prediction that is not the likeliest
constexpr std::int64_t kLabelsOfABlock = 256;  // whose probabilities are in memory

void check_vocabularies(const TokenizerPair& teacher, const TokenizerPair& model) {
  if (const auto side = differing_side(teacher, model)) {
    throw ConfigError(
        fmt::format("training.teacher: its {0} tokenizer is another than that of this model, so that its predictions "
                    "mean other subwords: set tokenizer.{0}_model to the teacher's, or let the teacher write the text "
                    "(translate-train --student-of)",
                    *side));
  }
  if (model.target.vocab_size() > PredictionsWriter::kMostSubwords) {
    throw ConfigError(fmt::format("training.teacher: for a vocabulary of {} target subwords at most; this one has {}",
                                  PredictionsWriter::kMostSubwords, model.target.vocab_size()));
  }
}

void check_positions(const Batch& batch, const ModelOptions& options) {
  const auto length = std::max(batch.source_length(), batch.target_length());
  if (options.positions == PositionKind::kLearned && length > options.max_positions) {
    throw ConfigError(fmt::format(
        "training.teacher: it reads {} positions at most, and a training pair has {}: lower data.max_length",
        options.max_positions, length));
  }
}

/// Appends the likeliest subwords at the labels from number `begin` on, whose probabilities (labels, subwords) are
/// given.
void append_likeliest(const at::Tensor& probabilities, std::int64_t begin, std::vector<Prediction>& predictions) {
  const auto most = std::min(kMostPredictions, probabilities.size(1));
  const auto [values, ids] = at::topk(probabilities, most);
  const auto value = values.cpu().contiguous();
  const auto id = ids.cpu().contiguous();
  for (std::int64_t row = 0; row < value.size(0); ++row) {
    for (std::int64_t k = 0; k < most; ++k) {
      const auto probability = value.const_data_ptr<float>()[row * most + k];
      if (k == 0 || probability >= kLeastProbability) {
        predictions.push_back({.label = begin + row,
                               .id = id.const_data_ptr<std::int64_t>()[row * most + k],
                               .probability = probability});
      }
    }
  }
}

/// Divides the predictions for a batch, whose labels are numbered through, among its pairs.
std::vector<std::vector<Prediction>> divided_by_pairs(const std::vector<Prediction>& predictions,
                                                      const UnpaddedLayout& sentences) {
  std::vector<std::vector<Prediction>> of_pairs;
  auto next = predictions.begin();
  for (std::int64_t pair = 0; pair < sentences.sentences(); ++pair) {
    auto& of_pair = of_pairs.emplace_back();
    for (; next != predictions.end() && next->label < sentences.offset(pair + 1); ++next) {
      of_pair.push_back(*next);
      of_pair.back().label -= sentences.offset(pair);
    }
  }
  return of_pairs;
}

}  // namespace

ModelSource teacher_source(const TrainingOptions& training, Verify verify) {
  CheckpointOptions options;
  options.checkpoint = training.teacher;
  return {options, verify};
}

Teacher::Teacher(const Config& config, const TokenizerPair& tokenizers, const c10::Device& device)
    : context_(training_context(device, resolve_precision(config.training.precision, kind_of(device)),
                                config.training.fused_kernels)) {
  for (const auto& loaded : teacher_source(config.training, Verify::kInference).load_all()) {
    check_vocabularies(loaded.tokenizers, tokenizers);
    models_.push_back(make_modules(loaded, device));
  }
}

void check_teacher(const TrainingOptions& training) {
  if (training.teacher.empty()) {
    return;
  }
  try {
    (void)teacher_source(training, Verify::kSizes);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("training.teacher: {}", error.what()));
  }
}

std::vector<std::vector<Prediction>> Teacher::predict(const Batch& batch) {
  const at::NoGradGuard no_grad;
  const AutocastGuard autocast(context_.device(), context_.precision());
  const auto on_device = batch.to(context_.device());
  std::vector<at::Tensor> features;
  for (auto& model : models_) {
    check_positions(batch, model->options());
    const auto rows = model->forward_unpadded(on_device.encoder_input, on_device.decoder_input, context_);
    const auto missing = (kLabelsOfABlock - rows.size(0) % kLabelsOfABlock) % kLabelsOfABlock;
    features.push_back(at::constant_pad_nd(rows, {0, 0, 0, missing}));  // for products of one shape
  }
  std::vector<Prediction> predictions;
  const auto labels = batch.target_tokens();
  for (std::int64_t begin = 0; begin < labels; begin += kLabelsOfABlock) {
    at::Tensor sum;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const auto& projection = models_[i]->projection_layer->proj;
      const auto logits =
          at::linear(features[i].slice(0, begin, begin + kLabelsOfABlock), projection->weight, projection->bias);
      const auto probabilities = at::softmax(logits, /*dim=*/-1, at::kFloat);
      sum = sum.defined() ? sum.add_(probabilities) : probabilities;
    }
    const auto mean = sum.slice(0, 0, labels - begin).div_(static_cast<double>(models_.size()));
    append_likeliest(mean, begin, predictions);
  }
  return divided_by_pairs(predictions, *batch.decoder_input.sentences);
}

}  // namespace translate::trainer

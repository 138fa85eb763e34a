#pragma once

#include <c10/core/Device.h>

#include <vector>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/encoded/corpus_predictions.h"
#include "decoding/model_source.h"
#include "modules/transformer.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// The models that training.teacher names, one or an ensemble, for word-level knowledge distillation (Kim and Rush
/// 2016, "Sequence-Level Knowledge Distillation", section 3.1).
class Teacher {
 public:
  /// Opens the models. They must have the tokenizers of the model that learns from them. Throws the errors of
  /// ModelSource and ConfigError if their vocabularies are others.
  Teacher(const Config& config, const TokenizerPair& tokenizers, const c10::Device& device);

  /// Returns for each pair of a batch, which is on the CPU, what the models predict at its labels, given its source and
  /// the labels before: the mean of their probabilities, of at most eight subwords, those below 0.005 left out except
  /// the likeliest. Throws ConfigError if a model cannot read a pair as long as that.
  [[nodiscard]] std::vector<std::vector<Prediction>> predict(const Batch& batch);

 private:
  std::vector<Transformer> models_;
  ExecutionContext context_;
};

/// Returns what training.teacher names. Throws as ModelSource does.
[[nodiscard]] ModelSource teacher_source(const TrainingOptions& training, Verify verify);

/// Throws ConfigError if training.teacher names models that are not there, CheckpointError if one is damaged. To be
/// called before anything is written. Does nothing if there is no teacher.
void check_teacher(const TrainingOptions& training);

}  // namespace translate::trainer

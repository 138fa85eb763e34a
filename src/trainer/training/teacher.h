#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/encoded/corpus_predictions.h"
#include "data/encoded/encoded_corpus.h"
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

/// Throws ConfigError if training.teacher names models that are not there, CheckpointError if one is damaged. To be
/// called before anything is written. Does nothing if there is no teacher.
void check_teacher(const TrainingOptions& training);

/// Where the predictions of a run's teacher are.
struct PredictionPlace {
  std::filesystem::path run_dir;       ///< the run's folder, which has them beside its encoded text
  bool is_resumed = false;             ///< the run has begun: it keeps its predictions, wherever its teacher is now
  std::filesystem::path scratch = {};  ///< a folder to write into instead; empty: none
};

/// Returns what the teacher predicts at the labels of all pairs of a corpus: what the run's folder has, if it is intact
/// and was made for this corpus and training.teacher; otherwise the teacher is opened and predicts, and progress is
/// logged. Other processes may do the same at the same time: one of them predicts, the others wait for it. Null if
/// there is no teacher. Throws the errors of Teacher, RuntimeError if the file cannot be written, and StoppedBySignal
/// on SIGINT and SIGTERM; then no file remains.
[[nodiscard]] std::shared_ptr<const CorpusPredictions> teacher_predictions(
    const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers, const Config& config,
    const c10::Device& device, const PredictionPlace& place);

}  // namespace translate::trainer

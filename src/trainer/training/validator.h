#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/confidence.h"
#include "checkpoints/training_state.h"
#include "config/options.h"
#include "core/chunk_limit.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "decoding/translator.h"
#include "languages/language_groups.h"
#include "modules/transformer.h"
#include "processes/collectives/process_group.h"
#include "training/shown_translation.h"

namespace translate::trainer {

/// The scores of one direction of a model with several.
struct DirectionScores {
  std::string name;  ///< "en-fr"
  double bleu = 0.0;
  double chrf = 0.0;
};

/// The results of one validation.
struct ValidationResult {
  double loss = 0.0;  ///< cross entropy in nats per target token (eos counted, padding not)
  double bleu = 0.0;  ///< of greedy translations, sacreBLEU's definition; 0 if the loss is not finite
  double chrf = 0.0;  ///< the same
  std::int64_t target_tokens = 0;
  double seconds = 0.0;
  std::optional<Confidence> confidence = {};     ///< of these weights, if there are enough validation sentences
  std::vector<DirectionScores> directions = {};  ///< if the validation pairs are of several directions
  std::vector<ShownTranslation> shown = {};      ///< the first validation sentences (training.show_translations)
};

/// A validation as it was recorded: the value of the chosen metric, and whether it is the best.
struct RecordedValidation {
  std::optional<ValidationScore> score;  ///< none if the value of the chosen metric is not finite
  bool is_best = false;                  ///< the best of the run so far
};

/// Records a validation in the state: the last and the best score (see is_better), and the number of validations since
/// the best, which training.patience limits. `metric` is not kAuto. The validation of step 0, before the first update,
/// is neither the best nor counted, because it does not measure a result of training.
RecordedValidation record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state);

/// Forgets the best score if it is that of step 0, together with the count of validations since, so that the next one
/// is the best so far. An older version saved such states.
void forget_best_of_step_0(TrainingState& state);

/// Cuts a batch for a model with learned positions, which cannot read beyond its table: tokens beyond it do not count
/// in the loss. (Translating splits such lines; training leaves them out; validation keeps every line.)
[[nodiscard]] Batch within_positions(Batch batch, const ModelOptions& options);

/// Measures a model on the validation pairs: the loss of the references, and the BLEU and chrF of its own
/// translations.
class Validator {
 public:
  /// Shares the model. `data` must hold validation pairs and outlive this object. Translations are greedy, whatever
  /// search the configuration asks for: they are only compared with each other, and greedy search is fast.
  Validator(Transformer model, const TrainingData& data, const Config& config, const c10::Device& device);

  /// Leaves the model in its mode, and draws no random numbers. Batches that do not fit into memory are divided, with
  /// the same result. The processes of `group` divide batches and lines; all get the result of the whole.
  ValidationResult validate(ProcessGroup& group);

 private:
  [[nodiscard]] double mean_loss(ProcessGroup& group, std::int64_t& target_tokens);
  /// The translations of the validation sentences.
  struct Hypotheses {
    std::vector<std::string> texts;
    std::vector<double> log_probabilities;  ///< per subword, the end counted
  };

  [[nodiscard]] Hypotheses translate(ProcessGroup& group);
  void score(const Hypotheses& hypotheses, ValidationResult& result) const;
  [[nodiscard]] std::vector<ShownTranslation> first_ones(const std::vector<std::string>& hypotheses) const;

  Transformer model_;
  const TrainingData& data_;
  std::vector<LanguageGroup> groups_;  ///< of the validation pairs
  LoaderOptions loader_options_;
  BleuTokenization tokenization_;
  std::size_t shown_;  ///< the number of sentences that are shown
  Precision precision_;
  TranslatorOptions options_;
  c10::Device device_;
  ChunkLimit limit_;
};

}  // namespace translate::trainer

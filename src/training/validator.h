#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/tensors/training_state.h"
#include "config/options.h"
#include "core/memory.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "decoding/translator.h"
#include "model/modules/transformer.h"

namespace translate {

/// What one validation found.
struct ValidationResult {
  double loss = 0.0;  ///< cross entropy in nats per target token (eos counted, padding not)
  double bleu = 0.0;  ///< of greedy translations, sacreBLEU's definition; 0 where the loss is not finite
  std::int64_t target_tokens = 0;
  double seconds = 0.0;
};

/// What a validation says of the weights.
struct ValidationVerdict {
  std::optional<double> score;  ///< the figure that `metric` names; none where it is not finite
  bool is_best = false;         ///< of the run so far
};

/// Takes a validation into the state: the last and the best score, and how many validations ago that was, which
/// training.patience limits. That of step 0, before the first update, is neither the best nor counted: it is not a
/// score of anything that training made.
ValidationVerdict record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state);

/// For a state saved by an older version, which let the score of step 0 be the best: forgets it, with the count of
/// validations since, so that the next one is the best so far.
void forget_best_of_step_0(TrainingState& state);

/// A model with learned positions cannot read further than its table: what lies beyond does not count in the loss.
/// (Translating splits such lines; training leaves them out; validation keeps every line.)
[[nodiscard]] Batch within_positions(Batch batch, const ModelOptions& options, std::int64_t target_pad);

/// Measures a model on the validation pairs: loss of the references, BLEU of its own translations.
class Validator {
 public:
  /// Shares the model. `data` must hold validation pairs and outlive this object. Translations are greedy, whatever
  /// `options` say of the search: they are compared with each other, and soon made.
  Validator(Transformer model, const TrainingData& data, const Config& config, TranslatorOptions options);

  /// Leaves the model in the mode it was in; draws no random numbers. Batches that memory does not suffice for are
  /// divided, with the same result.
  ValidationResult validate();

 private:
  [[nodiscard]] double mean_loss(std::int64_t& target_tokens);

  Transformer model_;
  const TrainingData& data_;
  LoaderOptions loader_options_;
  TranslatorOptions options_;
  ChunkLimit limit_;
};

}  // namespace translate

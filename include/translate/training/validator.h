#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/core/piece_limit.h"
#include "translate/data/data_loader.h"
#include "translate/data/training_data.h"
#include "translate/decoding/translator.h"
#include "translate/model/transformer.h"

namespace translate {

/// What one validation found.
struct ValidationResult {
  double loss = 0.0;  ///< cross entropy in nats per target token (eos counted, padding not)
  double bleu = 0.0;  ///< of greedy translations, sacreBLEU's definition; 0 where the loss is not finite
  std::int64_t target_tokens = 0;
  double seconds = 0.0;
};

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
  PieceLimit limit_;
};

}  // namespace translate

#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <span>

#include "translate/core/piece_limit.h"
#include "translate/decoding/search_options.h"
#include "translate/inference/decoding_session.h"

namespace translate {

/// Decodes sentences, whatever the search and the model: together, the longest first, as many at a time as
/// decoding.batch_tokens allow; on several threads where the model's sessions run side by side. What a sentence gets
/// does not depend on the others, as far as the model's numbers do not.
class DecodingLoop {
 public:
  /// `device`: where the model is.
  DecodingLoop(std::shared_ptr<const InferenceModel> model, SearchOptions options, const c10::Device& device);

  /// Fills in Sentence::hypotheses. Where memory does not suffice, fewer sentences are decoded at a time, from then on.
  /// Throws RuntimeError where it does not suffice for one alone, and where the model gives logits that are no numbers.
  void decode(std::span<Sentence> sentences);

 private:
  std::shared_ptr<const InferenceModel> model_;
  SearchOptions options_;
  PieceLimit limit_;
};

}  // namespace translate

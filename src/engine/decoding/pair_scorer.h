#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "decoding/model_opening.h"
#include "decoding/translation.h"
#include "decoding/translator.h"

namespace translate {

/// A model, or an ensemble, that scores pairs of texts.
class PairScorer {
 public:
  /// Opens the models that `checkpoint` names as --checkpoint does. `target_language`: the code of the language of the
  /// pairs' targets, which a model of several languages needs (empty: sources have tags where they need them). Throws
  /// as ModelSource and make_translator do, and ConfigError if a model of several languages does not have that one.
  PairScorer(const std::string& checkpoint, const ComputeOptions& computing, const std::string& target_language = "",
             Verify verify = Verify::kInference);

  /// Returns the mean log-probability (nats) of the subwords of each target, its end counted, given its source. Warns
  /// of no unusual texts. Throws as Translator::score does.
  [[nodiscard]] std::vector<double> scores(std::span<const ScoringPair> pairs);

 private:
  Translator translator_;
};

}  // namespace translate

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "inference/decoding_session.h"

namespace translate {

/// Several models as one: the probability of a subword is the mean of the models' probabilities (its logit is the log
/// of that), and the attention is the mean, too. The models must share the source and target vocabularies.
class EnsembleModel : public InferenceModel {
 public:
  /// Throws ConfigError if there is no model, or if vocabularies differ in size.
  explicit EnsembleModel(std::vector<std::shared_ptr<const InferenceModel>> models);

  [[nodiscard]] std::unique_ptr<DecodingSession> start() const override;
  /// That of the first model.
  [[nodiscard]] std::shared_ptr<const ComputeDevice> device() const override { return models_.front()->device(); }
  /// Whether all of the models do.
  [[nodiscard]] bool runs_side_by_side() const override;
  [[nodiscard]] std::int64_t vocabulary() const override;
  /// The sum over the models.
  [[nodiscard]] std::int64_t weight_bytes() const override;

 private:
  std::vector<std::shared_ptr<const InferenceModel>> models_;
};

}  // namespace translate

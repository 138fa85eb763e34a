#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "inference/decoding_session.h"

namespace translate {

/// Several models as one: the probability of a subword is the mean of what they give it (its logit is the log of that),
/// and so is the attention. They must read the same source subwords and say the same target subwords.
class EnsembleModel : public InferenceModel {
 public:
  /// Throws ConfigError where there is no model, or where vocabularies differ in size.
  explicit EnsembleModel(std::vector<std::shared_ptr<const InferenceModel>> models);

  [[nodiscard]] std::unique_ptr<DecodingSession> start(const SessionOptions& options) const override;
  /// Where all of them do.
  [[nodiscard]] bool runs_side_by_side() const override;
  [[nodiscard]] std::int64_t vocabulary() const override;

 private:
  std::vector<std::shared_ptr<const InferenceModel>> models_;
};

}  // namespace translate

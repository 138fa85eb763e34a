#pragma once

#include <memory>

#include "translate/inference/decoding_session.h"
#include "translate/inference/model_weights.h"

namespace translate {

/// A Transformer used for inference through the kernels of this project, on the CPU: weights laid out once, no padding,
/// sentences that come and go at any step, caches that are shared by the hypotheses of a beam. What a row gives does
/// not depend, to the last bit, on the rows beside it, on the number of threads, or on when it joined. Only where
/// has_vector_kernels() holds.
class PackedModel : public InferenceModel {
 public:
  explicit PackedModel(ModelWeights weights);

  [[nodiscard]] std::unique_ptr<DecodingSession> start(const SessionOptions& options) const override;
  [[nodiscard]] bool runs_side_by_side() const override { return true; }
  [[nodiscard]] std::int64_t vocabulary() const override { return weights_.sizes.target; }

 private:
  ModelWeights weights_;
};

}  // namespace translate

#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

#include "translate/config/options.h"
#include "translate/inference/decoding_session.h"
#include "translate/model/transformer.h"

namespace translate {

/// A Transformer used for inference through LibTorch's operators: on any device. Sentences of a session start together;
/// what a row gives may differ by rounding with the rows beside it.
class OperatorModel : public InferenceModel {
 public:
  /// Shares the model, which is put into evaluation mode for as long as a step takes. `precision`: fp32 or bf16.
  OperatorModel(Transformer model, const c10::Device& device, Precision precision);

  [[nodiscard]] std::unique_ptr<DecodingSession> start(const SessionOptions& options) const override;
  [[nodiscard]] bool runs_side_by_side() const override { return false; }
  [[nodiscard]] std::int64_t vocabulary() const override;

 private:
  Transformer model_;
  c10::Device device_;
  Precision precision_;
};

}  // namespace translate

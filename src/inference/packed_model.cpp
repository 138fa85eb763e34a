#include "translate/inference/packed_model.h"

#include <utility>

#include "translate/inference/packed_session.h"

namespace translate {

PackedModel::PackedModel(ModelWeights weights) : weights_(std::move(weights)) {}

std::unique_ptr<DecodingSession> PackedModel::start(const SessionOptions& options) const {
  return std::make_unique<PackedSession>(weights_, options);
}

}  // namespace translate

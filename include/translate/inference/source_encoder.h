#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translate/inference/model_weights.h"
#include "translate/kernels/float_buffer.h"

namespace translate {

/// What the decoder needs of an encoded sentence: keys and values of every decoder layer's cross attention, computed
/// once.
struct EncodedSource {
  std::int64_t length = 0;                          ///< S
  std::shared_ptr<const FloatBuffer> key_values{};  ///< S of KeyValueRows for each layer, one layer after the other
};

/// Encodes sentences without padding, each as it would be alone. `positions`: of the source, at least as many as the
/// longest sentence has. Uses all threads where it is not itself called by one of several.
[[nodiscard]] std::vector<EncodedSource> encode_sources(const ModelWeights& weights,
                                                        std::span<const std::span<const std::int64_t>> sources,
                                                        const PositionVectors& positions);

}  // namespace translate

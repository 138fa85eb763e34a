#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"
#include "model/parameters.h"

namespace translate {

/// Returns the number of trained values by module, in order of registration: `encoder`, `decoder`, ... and below the
/// two stacks the blocks of their layers, summed over the layers (`encoder.self_attention_block`, ..., `encoder.norm`
/// for all norms). A tied weight counts under its first name; modules without values of their own are not listed.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> parameters_by_module(const ModelParameters& model);

/// The multiplications of a forward pass (each with its addition), counting matrix products only.
struct MultiplyAdds {
  double source_token = 0.0;  ///< encoder, and the keys and values of cross attention
  double target_token = 0.0;  ///< decoder and projection
};

/// Returns the count for sentences of `source_length` and `target_length` positions, all of which attend to each other,
/// those of the target only if the decoder has self-attention.
[[nodiscard]] MultiplyAdds multiply_adds(const ModelOptions& options, std::int64_t target_vocabulary,
                                         double source_length, double target_length);

}  // namespace translate

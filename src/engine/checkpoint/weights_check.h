#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "model/parameters.h"

namespace translate {

/// Throws CheckpointError if a stack has more layers than a file has tensors, since each layer has several. To be
/// called before memory is taken for each layer: a damaged or hostile configuration may name billions of them. `origin`
/// names the file.
void check_layer_count(const ModelOptions& options, std::size_t tensors, const std::string& origin);

/// Throws CheckpointError if `weights` are not the parameters of a model with these options: as check_layer_count, then
/// as check_shapes. `origin` names their file.
void check_weights(const ModelOptions& options, const VocabularySizes& sizes, const NamedArrays& weights,
                   const std::string& origin);

/// Throws CheckpointError, naming the weight and `origin`, its file, if a number is NaN or infinite.
void check_finite(std::span<const float> values, const std::string& name, const std::string& origin);

}  // namespace translate

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "translate/config/options.h"
#include "translate/model/vocabulary_sizes.h"

namespace translate {

/// Parameters by name, each with its shape, in an order that is kept.
using ParameterShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// The parameters that a Transformer of such options has, as unique_parameters gives them: in order of registration, a
/// tied one once, under its first name.
[[nodiscard]] ParameterShapes parameter_shapes(const ModelOptions& options, const VocabularySizes& sizes);

/// How many values these parameters hold together. In floating point, which no sizes make overflow; nothing is listed.
[[nodiscard]] double parameter_total(const ModelOptions& options, const VocabularySizes& sizes);

/// Throws CheckpointError listing what `given` lacks of the model's parameters, what it has besides, and what is of
/// another shape; `origin` names its file.
void check_shapes(const ParameterShapes& model, const ParameterShapes& given, const std::string& origin);

}  // namespace translate

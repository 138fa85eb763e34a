#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "model/parameters.h"

namespace translate::tools {

/// How Marian stores a parameter. Its vocabularies have no padding, so that its tables lack the rows for it.
enum class MarianLayout {
  kRow,         ///< a vector (n) as (1, n)
  kLinear,      ///< the weight (out, in) of a linear layer as (in, out)
  kTable,       ///< embeddings (subwords, d_model) the same way
  kOutput,      ///< the weight (subwords, d_model) of a projection of its own as (d_model, subwords)
  kOutputBias,  ///< the bias (subwords) of the projection as (1, subwords)
};

/// A parameter and the name under which Marian stores its values.
struct MarianName {
  Parameter parameter;
  std::string name;
  MarianLayout layout = MarianLayout::kRow;
};

/// Returns the parameters of a model that are not tied to another, in the order of registration, with their names in an
/// .npz or .bin file of Marian (marian-dev, src/models/transformer.h).
[[nodiscard]] std::vector<MarianName> marian_names(const ModelParameters& parameters, const ModelOptions& options);

}  // namespace translate::tools

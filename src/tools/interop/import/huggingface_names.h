#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/parameters.h"

namespace translate::tools {

/// A parameter and the name under which Hugging Face's MarianMT and Pegasus models store its values.
struct HuggingFaceName {
  Parameter parameter;
  std::string name;
};

/// Returns the parameters of a model that are not tied to another, in the order of registration, with their names in
/// a state_dict of MarianMTModel. The bias of the projection is `final_logits_bias`, of shape (1, V) there; the tables
/// are `model.shared.weight` if both languages have one, otherwise those of `model.encoder` and `model.decoder`.
[[nodiscard]] std::vector<HuggingFaceName> huggingface_names(const ModelParameters& parameters);

}  // namespace translate::tools

#pragma once

#include <cstddef>
#include <vector>

#include "interop/export/model_to_export.h"
#include "interop/marian/npz_writing.h"

namespace translate::tools {

/// Returns the arrays of a model that Marian computes (see check_marian), under Marian's names and in its layout (see
/// marian_names). `source` and `target`: the numbers of subwords in Marian's vocabularies; rows of the tables behind
/// them, for padding, are left out. Attention without biases gets zeros, and the projection's bias of sos and pad,
/// which are subwords like others there, is kNeverGenerated. Throws CheckpointError if weights do not fit the model.
[[nodiscard]] std::vector<NamedNpyArray> marian_weights(const ModelToExport& model, std::size_t source,
                                                        std::size_t target);

}  // namespace translate::tools

#pragma once

#include <cstdint>

#include "checkpoint/safetensors.h"
#include "interop/export/model_to_export.h"

namespace translate::tools {

/// The classes of transformers that compute this project's models.
enum class HuggingFaceClass {
  kMarian,  ///< MarianMTModel: post-norm
  kPegasus  ///< PegasusForConditionalGeneration: pre-norm, one table of subwords for everything
};

/// Where the position vectors of an exported model are.
enum class ExportedPositions {
  kComputed,  ///< the class's own sinusoids
  kStored     ///< tables in the file, which the class uses in their place
};

/// Returns the class for a model. Throws ConfigError, naming what is not supported and what could be done, if there is
/// none: pre-norm with more than one table of subwords, and norms with an epsilon far from the 1e-5 of these classes.
[[nodiscard]] HuggingFaceClass huggingface_class(const ModelOptions& options);

[[nodiscard]] ExportedPositions exported_positions(const ModelOptions& options);

/// The number of positions that an exported model has.
[[nodiscard]] std::int64_t huggingface_positions(const Config& config);

/// The id with which the decoder begins. It is sos. If the model starts with a zero vector, it is a subword whose
/// embedding can be zero: sos, unless sources begin with it and share the table, and then pad.
[[nodiscard]] std::int64_t decoder_start_id(const ModelToExport& model);

/// Returns the tensors of a model.safetensors for the model's class.
///
/// The class's own sinusoids have all sines first, then all cosines, where those of the paper alternate: if the model
/// has the paper's, the columns of the residual stream are permuted, evens first, in everything that reads or writes
/// it. Attention without biases gets zeros. The embedding of pad, which nothing else uses, is that of sos, so that
/// programs which start the decoder with pad whatever the configuration says (CTranslate2's converter does) compute the
/// same. Throws as huggingface_class, and CheckpointError if weights do not fit the model.
[[nodiscard]] NamedArrays huggingface_weights(const ModelToExport& model);

}  // namespace translate::tools

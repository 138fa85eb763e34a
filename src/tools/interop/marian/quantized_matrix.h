#pragma once

#include <string>
#include <vector>

#include "interop/marian/npz_file.h"

namespace translate::tools {

/// The types of Bergamot's quantized matrices: whole numbers of 8 or 16 bits and, behind the last of them, one factor
/// in single precision for the whole matrix: value = number / factor. The factor of 8 bits is 127 / the largest
/// magnitude, that of 16 bits 1024.
inline constexpr const char* kIntgemm8 = "intgemm8";
inline constexpr const char* kIntgemm16 = "intgemm16";

/// The ending of the names of the factors by which Bergamot multiplies activations before it rounds them. They are not
/// used here: the engine chooses the factors of activations row by row.
inline constexpr const char* kActivationFactorEnding = "_QuantMultA";

/// Whether an array has one of the types above.
[[nodiscard]] bool is_quantized(const NpyArray& array);

/// Returns the values of a quantized matrix in the order in which it stores them: tables of subwords row by row,
/// matrices of linear layers, whose shape is (in, out), as (out, in) (marian-dev of Bergamot,
/// src/tensors/cpu/expression_graph_packable.h). Throws CheckpointError, calling it `name`, unless the factor is a
/// positive number.
[[nodiscard]] std::vector<float> dequantized(const NpyArray& array, const std::string& name);

}  // namespace translate::tools

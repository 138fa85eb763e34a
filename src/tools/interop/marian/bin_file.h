#pragma once

#include <map>
#include <string>
#include <string_view>

#include "interop/marian/npz_file.h"

namespace translate::tools {

/// Reads the arrays of a model in Marian's binary container, version 1 (marian-dev, src/common/binary.cpp), by name.
/// `file`: its content; `name`: what errors call it. Matrices that Bergamot has quantized have the types kIntgemm8 and
/// kIntgemm16 (quantized_matrix.h), all others NumPy's.
///
/// Throws CheckpointError, naming the file and the array: for damage, another version (2 is encrypted), and types whose
/// numbers are in an order of their own (the intgemm types of Marian itself, which follow the processor, and those of
/// fbgemm). Every size is held against the file's before memory is taken.
[[nodiscard]] std::map<std::string, NpyArray> read_marian_bin(std::string_view file, const std::string& name);

}  // namespace translate::tools

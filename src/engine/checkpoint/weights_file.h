#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "model/parameters.h"

namespace translate {

/// Returns the options, completed from the weights with what configurations often leave out: `attention_bias`, true if
/// there is a bias beside `w_q`. Adds a line for each change to `notes`. Everything else stays, so that check_weights
/// recognises weights of another model.
[[nodiscard]] ModelOptions fit_options(ModelOptions options, const NamedArrays& weights,
                                       std::vector<std::string>& notes);

/// Adapts weights to the parameters of a model with these options; adds a line for each kind of change to `notes`:
/// - A tied weight stands in a state_dict under each of its names. They must be equal bit for bit, and the first one
///   stays; a weight that stands under a later name only gets the first name.
/// - Position tables `src_pos.pe`, `tgt_pos.pe` of a model with sinusoidal positions are compared with sinusoidal_table
///   (to 1e-4, plus the rounding of large angles and of short floats), then dropped.
/// - `alpha` and `bias` of one element, as older copies of the reference have them, are widened to d_model.
/// - Other floating-point types become single precision.
/// Parameters that are missing, left over or of another shape are left for check_weights to list. `origin` names the
/// file. Throws CheckpointError if tied weights differ, if a position table differs (naming position and column, and
/// what to do), and if a parameter does not consist of floating-point numbers.
[[nodiscard]] NamedArrays fit_weights(NamedArrays weights, const ModelOptions& options, const VocabularySizes& sizes,
                                      const std::string& origin, std::vector<std::string>& notes);

/// Weights from a single file, under the reference's names.
struct WeightsFile {
  NamedArrays weights;
  std::optional<std::int64_t> step{};  ///< optimizer updates behind them, if the file records them
  std::vector<std::string> notes{};    ///< the changes made to them, a line each, for the log
};

/// Reads a `.safetensors` file, whose numbers stay in it until they are accessed, or a file of one of linked_formats(),
/// such as PyTorch's `.pt` (see read_pytorch_file); the content decides which it is, not the name. Names of older
/// copies of the reference and of wrappers are updated: `source_attention_block` becomes `cross_attention_block`, a
/// `module.` (DataParallel) or `_orig_mod.` (torch.compile) before every name is dropped. Then fit_options and
/// fit_weights adapt them to a model. Throws ConfigError if there is no such file or if it is a folder, CheckpointError
/// if it is damaged or another kind of file.
[[nodiscard]] WeightsFile read_weights_file(const std::filesystem::path& path);

}  // namespace translate

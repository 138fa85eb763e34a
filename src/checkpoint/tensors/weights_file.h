#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "model/modules/transformer.h"
#include "tensors/tensor_file.h"

namespace translate {

/// The options with what the weights themselves tell and a configuration often leaves out: `attention_bias`, true where
/// there is a bias beside `w_q`. A line for each change goes to `notes`. Everything else stays, so that weights of
/// another model are seen as such by load_parameters.
[[nodiscard]] ModelOptions fit_options(ModelOptions options, const NamedTensors& weights,
                                       std::vector<std::string>& notes);

/// Makes weights what load_parameters takes for `model`, a line for each kind of change in `notes`:
/// - A weight that the model ties stands in a state_dict under each of its names: they must be equal bit for bit, and
/// the
///   first one stays; one that stands under a later name only gets the first.
/// - Position tables `src_pos.pe`, `tgt_pos.pe` of a model with sinusoidal positions are compared with
///   sinusoidal_positions (to 1e-4, and what the rounding of large angles and of short floats adds), then dropped.
/// - `alpha` and `bias` of one element, as older copies of the reference have them, are widened to d_model.
/// - Other floating-point types become float.
/// What is missing, left over or of another shape is left for load_parameters to list. `origin` names the file.
/// Throws CheckpointError where tied weights differ, where a position table is another (which position and column, and
/// what to do), and where a parameter does not consist of floating-point numbers.
[[nodiscard]] NamedTensors fit_weights(NamedTensors weights, const Transformer& model, const std::string& origin,
                                       std::vector<std::string>& notes);

/// Weights from a single file, under the reference's names.
struct WeightsFile {
  NamedTensors weights;              ///< in memory of their own
  std::optional<std::int64_t> step;  ///< optimizer updates behind them, where the file says so
  std::vector<std::string> notes;    ///< what was done to them, a line each, for the log
};

/// Reads a `.safetensors` file, or a `.pt` file of PyTorch (see read_pytorch_file); which of them it is, its content
/// tells, not its name. Names of older copies of the reference and of wrappers are brought up to date:
/// `source_attention_block` becomes `cross_attention_block`, a `module.` (DataParallel) or `_orig_mod.` (torch.compile)
/// before every name is dropped. Then fit_options and fit_weights (fit_weights.h) make them what a model takes.
/// Throws ConfigError where there is no such file or where it is a folder, CheckpointError where it is damaged or
/// another kind of file.
[[nodiscard]] WeightsFile read_weights_file(const std::filesystem::path& path);

}  // namespace translate

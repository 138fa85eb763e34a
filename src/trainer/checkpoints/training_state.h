#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/manifest.h"
#include "config/options.h"
#include "corpora/checked_text.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

/// Sums over the steps since the last report, so that the next report is the same whether or not the run was
/// interrupted.
struct ReportWindow {
  double loss_sum = 0.0;           ///< cross entropy, nats
  double smoothed_loss_sum = 0.0;  ///< with label smoothing, nats
  double divergence_sum = 0.0;     ///< of R-Drop or SimCut, nats; 0 without them
  double guided_sum = 0.0;         ///< of guided alignment, nats; 0 without it
  std::int64_t target_tokens = 0;  ///< tokens in these sums (eos counted, padding not)
  double seconds = 0.0;            ///< training time

  bool operator==(const ReportWindow&) const = default;
};

/// The stage that a training is in, and where it began (see StageOptions).
struct StageState {
  std::int64_t index = 0;  ///< from 0; behind the last one, training has ended
  std::int64_t step = 0;   ///< updates before it
  std::int64_t epoch = 0;  ///< passes before it
  double seconds = 0.0;    ///< training time before it

  bool operator==(const StageState&) const = default;
};

/// The state of training in addition to the weights: everything that a resumed run needs is saved. Random numbers need
/// no state: they are a function of the seed and the place in the data.
struct TrainingState {
  std::int64_t step = 0;                           ///< optimizer updates done
  std::int64_t epoch = 0;                          ///< passes over the data completed
  std::int64_t batches_in_epoch = 0;               ///< batches of the current pass already consumed
  std::int64_t target_tokens = 0;                  ///< trained on so far (eos counted, padding not)
  double seconds = 0.0;                            ///< training time so far, over all resumes
  std::optional<ValidationScore> last_validation;  ///< the newest validation
  std::optional<ValidationScore> best_validation;  ///< the best one
  std::int64_t validations_since_best = 0;         ///< validations after it, for `patience`
  std::int64_t data_order = 0;                     ///< times that training went back and took another order of the data
  StageState stage = {};                           ///< the stage of training.stages
  ReportWindow window;                             ///< the report being gathered
  NamedTensors exp_avg;                            ///< the optimizer's first moments, by parameter name
  NamedTensors exp_avg_sq;                         ///< the second moments, of the parameters that Adam updates
  NamedTensors weights;  ///< the weights being trained, if the checkpoint's model is their moving average; else none
};

/// Returns the tensors of a state by their names in training_state.safetensors: `exp_avg.<parameter>`,
/// `exp_avg_sq.<parameter>`, and `weights.<parameter>` if there are any.
[[nodiscard]] NamedTensors training_state_tensors(const TrainingState& state);

/// Returns the numbers of a state as the JSON text of training_state.json. Throws RuntimeError if one is not finite.
[[nodiscard]] std::string training_state_json(const TrainingState& state, const std::filesystem::path& file);

/// Reads the numbers of a state from the text of training_state.json; it has no tensors then. Throws CheckpointError
/// naming the field that is missing, unknown or of the wrong kind.
[[nodiscard]] TrainingState parse_training_counters(std::string_view json, const std::filesystem::path& file);

/// Reads a state from both files, also one of format 1, whose random states are no longer used. Tensors are views into
/// `tensors`. Throws CheckpointError naming the file (`json_file`
/// or the tensors' own) and the field or tensor that is missing, unknown or of the wrong kind.
[[nodiscard]] TrainingState parse_training_state(std::string_view json, const std::filesystem::path& json_file,
                                                 const SafetensorsFile& tensors);

/// Reads the training state of a checkpoint. Throws CheckpointError if there is none or if it is not readable.
[[nodiscard]] TrainingState read_training_state(const Checkpoint& checkpoint);

/// The contents of a checkpoint to write.
struct CheckpointContents {
  NamedTensors weights;                         ///< by the reference's parameter names, a tied weight once
  Config config;                                ///< the whole configuration, paths absolute
  std::string source_tokenizer;                 ///< the content of the source tokenizer's file
  std::string target_tokenizer;                 ///< the target's; the same bytes if both share one
  std::int64_t step = 0;                        ///< optimizer updates behind the weights
  std::optional<double> score;                  ///< these very weights' config.training.best_metric (not finite = none)
  std::optional<double> loss = {};              ///< of the same validation
  std::optional<Confidence> confidence = {};    ///< of the same validation
  std::optional<TrainingState> training_state;  ///< for resuming; its step is `step`
  std::optional<TextSums> text;                 ///< the sums of its training, validation and test texts
  std::string source_words = {};                ///< of its training's sources (SeenWords::serialized); empty: unknown
  std::string card;                             ///< the text of its README.md (see model_card.h)
};

/// Writes a checkpoint folder atomically: it is whole or absent, even after a crash at any moment. Everything goes into
/// `.tmp-<name>-<pid>` beside `folder`, each file and the folder are flushed to disk, manifest.json last, and then the
/// folder is renamed. A checkpoint that has the name already is replaced. Throws RuntimeError with path and reason
/// (disk full, no permission); the temporary folder is then removed and an earlier checkpoint stays as it was. Throws
/// CheckpointError if the contents contradict each other.
void write_checkpoint(const std::filesystem::path& folder, const CheckpointContents& contents);

/// Writes the checkpoint of `contents.step` into the run's folder (see CheckpointDirectory::make_room) and returns the
/// checkpoint's folder. Throws as write_checkpoint does.
std::filesystem::path save_checkpoint(const CheckpointDirectory& directory, const CheckpointContents& contents);

}  // namespace translate::trainer

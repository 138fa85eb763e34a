#include "training/explanation/explained_step.h"

#include <fmt/format.h>

#include <utility>

#include "core/temporary_folder.h"
#include "processes/collectives/process_group.h"
#include "training/run_directory.h"
#include "training/teacher_predictions.h"
#include "training/trainer.h"
#include "training/training_start.h"

namespace translate::trainer {

StepExplanation explain_training_step(const Config& wanted, const StartOptions& start, const c10::Device& device) {
  const TemporaryFolder scratch;
  RunDirectory run(wanted.run_dir);
  auto prepared = prepare_start_beside(wanted, start, device, run, scratch.path());
  prepared.data.validation = nullptr;  // nothing is validated
  prepared.data.predictions = teacher_predictions(
      prepared.data.train, prepared.data.tokenizers, prepared.config, device,
      {.run_dir = run.path(), .is_resumed = prepared.checkpoint.has_value(), .scratch = scratch.path()});
  ProcessGroup alone;
  Trainer trainer(prepared.config, std::move(prepared.data), run, device, alone, OptimizerSharding::kNone);
  start_trainer(trainer, prepared);
  auto step = trainer.explain_step();
  if (prepared.initial) {
    step.start = prepared.initial->origin;
  } else if (!prepared.checkpoint) {
    step.start = fmt::format("random weights, seed {}", prepared.config.training.seed);
  }
  return step;
}

}  // namespace translate::trainer

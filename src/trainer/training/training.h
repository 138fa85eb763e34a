#pragma once

#include <c10/core/Device.h>

#include "config/options.h"
#include "processes/collectives/nccl_library.h"
#include "processes/collectives/process_group.h"
#include "processes/process_place.h"
#include "training/training_outcome.h"

namespace translate::trainer {

/// Reads the data, opens the run folder, resumes or starts, trains until a limit or a signal, and returns how it ended.
/// Nothing is written before configuration and data have been read and checked. Throws the errors of its parts;
/// ConfigError if a resumed run's configuration differs in more than may change. `training.batch_tokens: auto` is
/// measured once: the run's configuration and its checkpoints hold the number, and a resumed run takes it from there.
///
/// With several processes (`processes`), all call this function; the first one reads, writes and reports, and the
/// others train with it. On GPUs, each takes that of its number on its machine, whatever the number of `device`;
/// `connect` makes their connection. Throws ConfigError in all of them if their configurations or kinds of devices
/// differ, or if there are too few GPUs, RuntimeError if the GPUs cannot be connected, and ProcessLost if another
/// process ends.
TrainingOutcome train(const Config& wanted, const StartOptions& start, const c10::Device& device,
                      const ProcessGroupOptions& processes = {},
                      const ProcessGroup::BackendMaker& connect = make_nccl_backend);

}  // namespace translate::trainer

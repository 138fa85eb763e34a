#include "training/training.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/stop_signal.h"
#include "core/system/memory.h"
#include "core/threads.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"
#include "text/tokenizer.h"
#include "training/advice.h"
#include "training/run_directory.h"
#include "training/teacher_predictions.h"
#include "training/trainer.h"
#include "training/training_start.h"

namespace translate::trainer {

namespace {

void log_start(const Trainer& trainer, const c10::Device& device, const Config& config, const ProcessGroup& group) {
  const auto precision = resolve_precision(config.training.precision, kind_of(device));
  const auto processes = group.is_alone() ? "" : fmt::format("{} processes, each with ", group.size());
  log_info(fmt::format("model: {} parameters; on {} in {}, {}{}, seed {}", parameter_count(trainer.model()),
                       device.str(), to_string(precision), processes, counted(kernel_threads(), "thread"),
                       config.training.seed));
}

void warn_of_slow_bf16(const c10::Device& device, const Config& config) {
  if (config.training.precision == Precision::kBf16 && !multiplies_bf16(device)) {
    log_warning(
        "training.precision = \"bf16\": this processor has no bf16 instructions, so fp32 is several times faster");
  }
}

void log_end(const TrainingOutcome& outcome) {
  const auto checkpoint = outcome.checkpoint.empty() ? std::string("no checkpoint was written, as no step was made")
                                                     : "checkpoint " + outcome.checkpoint.string();
  if (!outcome.trained) {
    log_info(fmt::format("nothing to train: the limit {} is already reached; {}", outcome.reason, checkpoint));
  } else {
    log_info(fmt::format("peak memory of the process: {} MiB", peak_memory_bytes() >> 20U));
    log_info(fmt::format("training ended: {}; {}", outcome.reason, checkpoint));
  }
}

/// Prepares the same start in another process, from the configuration in force and the tokenizers of the first one.
/// Finds the encoded text that the first process has written, or encodes it on a machine that does not share its files.
PreparedStart prepare_like_first(const Config& config, TokenizerPair tokenizers, const c10::Device& device,
                                 const RunDirectory& run) {
  tokenizers.source = tokenizers.source.for_sources(config.tokenizer.source_sos);
  const auto folders = data_folders(config, run.path());
  const auto text = check_training_text(config, folders);
  auto data = prepare_training_data(config, text, folders, std::move(tokenizers));
  data.predictions = teacher_predictions(data.train, data.tokenizers, config, device,
                                         {.run_dir = run.path(), .is_resumed = true});  // the first one has checked it
  return {.config = config, .data = std::move(data), .checkpoint = {}, .initial = {}};
}

/// Throws ConfigError if a process was given another configuration than the first one.
void check_same_configuration(const Config& config, ProcessGroup& group) {
  const auto texts = group.gather_texts(config_to_json(config));
  for (int rank = 1; rank < group.size(); ++rank) {
    const auto read = [&](int of) {
      return config_from_json_text(texts[static_cast<std::size_t>(of)], fmt::format("rank {}", of), "/");
    };
    if (texts[static_cast<std::size_t>(rank)] != texts.front()) {
      throw ConfigError(
          fmt::format("the processes of one training need one configuration: rank {} was given other "
                      "values than rank 0 of: {}",
                      rank, fmt::join(changed_keys(read(0), read(rank)), ", ")));
    }
  }
}

/// Prepares the start in all processes.
PreparedStart prepare_in_turns(const Config& wanted, const StartOptions& start, const c10::Device& device,
                               RunDirectory& run, ProcessGroup& group) {
  if (group.is_alone()) {
    return prepare_start(wanted, start, device, run);
  }
  check_same_configuration(wanted, group);
  std::optional<PreparedStart> prepared;
  if (group.is_first()) {
    const auto long_work = group.long_work();
    prepared = prepare_start(wanted, start, device, run);
  }
  const auto of_first = [&](const auto& make) { return group.text_of_first(group.is_first() ? make() : ""); };
  const auto config = of_first([&] { return config_to_json(prepared->config); });
  const auto source = of_first([&] { return prepared->data.tokenizers.source.serialized(); });
  const auto target = of_first([&] { return prepared->data.tokenizers.target.serialized(); });
  group.in_turns([&] {
    if (!group.is_first()) {
      prepared = prepare_like_first(
          config_from_json_text(config, "the configuration of rank 0", "/"),
          {Tokenizer::from_serialized(source), Tokenizer::from_serialized(target).for_targets()}, device, run);
    }
  });
  return std::move(*prepared);
}

/// Throws ConfigError if not all processes shall divide the optimizer's state.
void check_same_sharding(OptimizerSharding sharding, ProcessGroup& group) {
  const auto divided = at::full({1}, sharding == OptimizerSharding::kRows ? 1.0 : 0.0);
  group.sum(divided);
  const auto count = divided.item<float>();
  if (count > 0.0F && count < static_cast<float>(group.size())) {
    throw ConfigError(
        fmt::format("--shard-optimizer was given to {:.0f} of {} processes: give it to all of them, or to none", count,
                    group.size()));
  }
}

TrainingOutcome train_in_group(const Config& wanted, const StartOptions& start, const c10::Device& device,
                               OptimizerSharding sharding, ProcessGroup& group) {
  check_same_sharding(sharding, group);
  RunDirectory run(wanted.run_dir);
  auto prepared = prepare_in_turns(wanted, start, device, run, group);
  const StopSignals stop_signals;
  if (group.is_first() && !prepared.checkpoint) {  // a resumed run was told when it began
    log_advice(advise(prepared.config, facts_of(prepared.config, prepared.data, device, !start.init.empty())));
  }
  Trainer trainer(prepared.config, std::move(prepared.data), run, device, group, sharding);
  log_start(trainer, device, prepared.config, group);
  warn_of_slow_bf16(device, prepared.config);
  start_trainer(trainer, prepared);
  trainer.share_state();
  const auto outcome = trainer.run();
  log_end(outcome);
  return outcome;
}

}  // namespace

TrainingOutcome train(const Config& wanted, const StartOptions& start, const c10::Device& device,
                      const ProcessGroupOptions& processes, const ProcessGroup::BackendMaker& connect) {
  ProcessGroup group(processes.place, processes.limits);
  try {
    const auto own = device_of_process(device, processes.place.local_rank, processes.place.local_size);
    group.connect_device(own, connect);
    return train_in_group(wanted, start, own, processes.sharding, group);
  } catch (const std::exception& error) {
    group.fail(error);
    throw;
  }
}

}  // namespace translate::trainer

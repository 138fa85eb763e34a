// The training state of a checkpoint: training_state.json, then training_state.safetensors.

#include "checkpoints/training_state.h"

#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace translate;
  static const fuzz::Setting setting;
  const auto parts = fuzz::split_input(fuzz::text_of(data, size), 2);
  const auto file = setting.file("training_state.safetensors", parts[1]);
  fuzz::allow<CheckpointError>([&] {
    const auto state = trainer::parse_training_counters(parts[0], "training_state.json");
    fuzz::allow<CheckpointError>([&] {
      const auto with_tensors = trainer::parse_training_state(parts[0], "training_state.json", SafetensorsFile(file));
      (void)trainer::training_state_tensors(with_tensors);
    });
    const auto written = trainer::training_state_json(state, "training_state.json");
    fuzz::require(trainer::training_state_json(trainer::parse_training_counters(written, "training_state.json"), "") ==
                  written);
  });
  return 0;
}

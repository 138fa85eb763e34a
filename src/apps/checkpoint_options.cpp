#include "translate/apps/checkpoint_options.h"

#include "translate/checkpoint/open_checkpoint.h"
#include "translate/config/enum_names.h"

namespace translate {

void add_checkpoint_options(CLI::App& app, CheckpointOptions& options) {
  app.add_option("--checkpoint", options.checkpoint, "Which checkpoint: latest, best, step-N or the path of one")
      ->type_name("WHICH")
      ->capture_default_str();
  app.add_option("--run-dir", options.run_dir, "The run it belongs to (default: the one under runs/ written last)")
      ->type_name("DIR");
}

Checkpoint open_checkpoint(const CheckpointOptions& options, Verify verify) {
  return open_checkpoint(options.checkpoint, options.run_dir, "runs", verify);
}

Translator make_translator(const LoadedModel& loaded, const c10::Device& device, const CommonOptions& options) {
  return {loaded.model, loaded.tokenizers.source, loaded.tokenizers.target,
          translator_options(loaded.config, device, *from_string<Precision>(options.precision))};
}

}  // namespace translate

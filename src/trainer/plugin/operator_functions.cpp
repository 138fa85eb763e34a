// The functions of libtranslate_torch that libtranslate asks for (core/libraries/operator_library.h). Their types are
// declared where they are asked for.

#include <string>

#include "core/libraries/operator_library.h"
#include "explain/attention_page.h"
#include "explain/step_report.h"
#include "explain/worked_example.h"
#include "infer/infer_program.h"
#include "operators/libtorch_backend.h"
#include "train/train_program.h"
#include "training/explanation/explained_run.h"
#include "training/training_check.h"
#include "training/training_run.h"

namespace translate {

extern "C" {

OperatorVersion translate_torch_version;
StartOperatorBackend translate_torch_start;
MakeViewer translate_torch_viewer;
ComputeExample translate_torch_example;
TrainModel translate_torch_train;
CheckTraining translate_torch_check;
ExplainTrainingStep translate_torch_explain_step;

const char* translate_torch_version() { return TRANSLATE_VERSION; }

const ModelBackend* translate_torch_start(const std::string& device, int threads) {
  return new LibTorchBackend(start_operators(device, threads));
}

TranslationViewer* translate_torch_viewer(const OutputOptions& options, const LoadedModel& loaded,
                                          const c10::Device& device, Precision precision, const std::string& title) {
  return new ModelViewer(options,
                         ObservedModel{.config = loaded.config,
                                       .tokenizers = loaded.tokenizers,
                                       .modules = make_modules(loaded, device),
                                       .device = device,
                                       .precision = precision},
                         title);
}

void translate_torch_example(const std::string& file, bool json, std::string& result) {
  const auto example = compute_example(file);
  result = json ? to_json(example) : to_text(example);
}

void translate_torch_train(const Config& config, const StartOptions& start, const c10::Device& device,
                           const ProcessGroupOptions& processes, TrainingOutcome& outcome) {
  outcome = run_training(config, start, device, processes);
}

void translate_torch_check(const Config& config, const StartOptions& start, const c10::Device& device,
                           std::string& report) {
  report = check_training(config, start, device);
}

void translate_torch_explain_step(const Config& config, const StartOptions& start, const c10::Device& device, bool json,
                                  std::string& report) {
  const auto step = explain_training_step(config, start, device);
  report = json ? step_json(step) + "\n" : step_text(step);
}
}

}  // namespace translate

#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "languages/language_names.h"

namespace translate::trainer {

/// The sizes of students that translate fast.
enum class StudentSize { kTiny, kBase, kLarge };

/// A training for which the user names the text and the time alone, and maybe a model to start from.
struct RecipeRequest {
  std::vector<std::filesystem::path> files;
  LanguageCodes languages = {};                     ///< that the user names; empty: those of the files
  std::optional<double> minutes = {};               ///< from `begin` on, until the training has ended
  std::filesystem::path run_dir = {};               ///< empty: runs/ and a name that follows from languages and files
  std::vector<std::string> overrides = {};          ///< KEY=VALUE, on top of what the recipe chooses
  std::optional<std::uint64_t> seed = {};           ///< of the held-out pairs and of the training
  std::string init = {};                            ///< the model to fine-tune, as --init names it; empty: a new one
  std::vector<std::filesystem::path> general = {};  ///< general text that fine-tuning shall not spoil
  std::vector<std::filesystem::path> clean = {};    ///< text of better quality, on which a new model's training ends
  bool finds_clean = true;                          ///< among `files`, if `clean` is empty
  DistillationOptions distillation = {};            ///< the teachers of a new model, if it has some
  std::optional<StudentSize> size = {};             ///< of the model that has teachers; unset: follows from the text
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

/// The parts of a training for which there is no configuration; empty: not built.
struct RecipeSteps {
  /// Prepares the text, chooses the configuration and writes both into the folder of a run. If a run has been made of
  /// the same text before, its configuration is returned, so that it is resumed.
  std::function<Config(const RecipeRequest& request, const c10::Device& device)> prepare;
  /// Logs how well the trained model translates the test set, and returns the checkpoint to translate with, if it is
  /// not the best one of the run.
  std::function<std::filesystem::path(const RecipeRequest& request, const Config& config)> measure;
};

}  // namespace translate::trainer

#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/infer/translation_output.h"
#include "decoding/model_backend.h"

namespace translate {

/// The work of translate-infer that may need LibTorch. The program that people call runs without LibTorch and throws
/// NeedsLibTorch if the work needs it; translate-infer-libtorch then does all the work.
class InferParts {
 public:
  InferParts() = default;
  virtual ~InferParts() = default;
  InferParts(const InferParts&) = delete;
  InferParts& operator=(const InferParts&) = delete;

  [[nodiscard]] virtual const ModelBackend& backend() const = 0;

  /// Returns a viewer, as the options say, for a model that computes in `precision` on `device`; `title` names the
  /// model.
  [[nodiscard]] virtual std::unique_ptr<TranslationViewer> make_viewer(const OutputOptions& options,
                                                                       const LoadedModel& loaded,
                                                                       const c10::Device& device, Precision precision,
                                                                       const std::string& title) const = 0;

  /// Computes an attention exercise and returns it as text or JSON (see compute_example).
  [[nodiscard]] virtual std::string example(const std::string& file, bool json) const = 0;
};

/// Returns the options of translate-infer for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> infer_command_line();

/// Runs translate-infer and returns its exit code.
int run_infer(int argc, char** argv, const InferParts& parts);

}  // namespace translate

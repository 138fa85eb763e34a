#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/infer/translation_output.h"
#include "decoding/model_backend.h"

namespace translate {

/// What translate-infer does with LibTorch or not at all. The program that people call goes without, and throws
/// NeedsLibTorch where it is asked for more; translate-infer-libtorch then does the whole.
class InferParts {
 public:
  InferParts() = default;
  virtual ~InferParts() = default;
  InferParts(const InferParts&) = delete;
  InferParts& operator=(const InferParts&) = delete;

  [[nodiscard]] virtual const ModelBackend& backend() const = 0;

  /// What looks into a model that computes in `precision` on `device`, as the options say; `title` names the model.
  [[nodiscard]] virtual std::unique_ptr<TranslationViewer> make_viewer(const OutputOptions& options,
                                                                       const LoadedModel& loaded,
                                                                       const c10::Device& device, Precision precision,
                                                                       const std::string& title) const = 0;

  /// An attention exercise, computed, as text or JSON (see compute_example).
  [[nodiscard]] virtual std::string example(const std::string& file, bool json) const = 0;
};

/// The options of translate-infer, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> infer_command_line();

/// The whole of translate-infer. Returns its exit code.
int run_infer(int argc, char** argv, const InferParts& parts);

}  // namespace translate

#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "decoding/model_backend.h"
#include "infer/translation_output.h"

namespace translate {

/// The types of functions of libtranslate_torch that translate-infer loads when it is asked to look into a model.

/// translate_torch_viewer returns a viewer, as the options say, for a model that computes in `precision` on `device`;
/// `title` names the model.
using MakeViewer = TranslationViewer*(const OutputOptions& options, const LoadedModel& loaded,
                                      const c10::Device& device, Precision precision, const std::string& title);

/// translate_torch_example computes an exercise and sets `result` to it as text or JSON (see compute_example).
using ComputeExample = void(const std::string& file, bool json, std::string& result);

/// Returns the options of translate-infer for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> infer_command_line();

/// Runs translate-infer and returns its exit code.
int run_infer(int argc, char** argv);

}  // namespace translate

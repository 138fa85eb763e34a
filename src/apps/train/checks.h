#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

#include "config/options.h"

namespace translate {

enum class LintForm { kText, kJson };

/// The output of --lint and the number of findings.
struct LintReport {
  std::string text;
  std::uint64_t findings = 0;
};

/// Checks the texts of a configuration for common problems (see CorpusLint). It takes the existing tokenizers that the
/// configuration names, or else those in the run folder, or else builds them from the pairs without problems and
/// discards them. It changes no files. Throws DataError if files cannot be read or have unequal line counts,
/// ConfigError and CheckpointError if existing tokenizers are wrong.
[[nodiscard]] LintReport lint_data(const Config& config, LintForm form);

/// Returns the output of --check: pairs, vocabularies, parameters, memory, batches and padding of an epoch. It reads
/// and encodes the data and builds the model, without training and without leaving files in the run folder; for
/// `batch_tokens: auto` it measures. Throws the errors of these steps.
[[nodiscard]] std::string check_training(const Config& wanted, const c10::Device& device);

}  // namespace translate

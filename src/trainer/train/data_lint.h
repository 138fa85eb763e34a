#pragma once

#include <cstdint>
#include <string>

#include "config/options.h"

namespace translate::trainer {

enum class LintForm { kText, kJson };

/// The output of --lint and the number of findings.
struct LintReport {
  std::string text;
  std::uint64_t findings = 0;
};

/// Checks the texts of a configuration for common problems (see CorpusLint). It takes the tokenizers that belong to the
/// weights `init`, if the training shall start from such; or else the existing ones that the configuration names, or
/// those in the run folder, or builds them from the pairs without problems and discards them. It changes no files.
/// Throws DataError if files cannot be read or have unequal line counts, ConfigError and CheckpointError if existing
/// tokenizers are wrong.
[[nodiscard]] LintReport lint_data(const Config& config, const std::string& init, LintForm form);

}  // namespace translate::trainer

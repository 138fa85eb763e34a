#pragma once

#include <cstdint>
#include <string>

#include "config/options.h"

namespace translate {

enum class LintForm { kText, kJson };

/// What --lint prints, and how much was found.
struct LintReport {
  std::string text;
  std::uint64_t findings = 0;
};

/// Looks through the texts of a configuration (see CorpusLint). Tokenizers are the existing ones that it names, else
/// those in its run folder, else they are built from what is in order and thrown away. Changes nothing. Throws
/// DataError where files cannot be read or have unequal line counts, ConfigError and CheckpointError where ready
/// tokenizers are wrong.
[[nodiscard]] LintReport lint_data(const Config& config, LintForm form);

}  // namespace translate

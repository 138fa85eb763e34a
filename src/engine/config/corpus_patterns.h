#pragma once

#include <vector>

#include "config/options.h"
#include "config/validate.h"

namespace translate {

/// Replaces each pair of patterns, such as part-*.en.gz and part-*.fr.gz, by the files that exist: those of both sides
/// whose star stands for the same text, in the byte order of this text. They are one corpus. A star stands for any
/// characters but a slash; as in a shell, one at the start of a name does not match hidden files. A path that exists as
/// it is, is no pattern.
///
/// Throws ConfigError if only one side has a star, a path has several, nothing matches, or a file has no counterpart.
[[nodiscard]] std::vector<CorpusFiles> expand_patterns(const std::vector<CorpusFiles>& corpora);

/// Expands the patterns of all corpora of a configuration. Returns the errors by the key concerned, whose patterns then
/// stay.
[[nodiscard]] std::vector<KeyFault> expand_patterns(DataOptions& data);

}  // namespace translate

#pragma once

#include <cstdint>

#include "config/options.h"
#include "corpora/corpus_reader.h"

namespace translate {

/// Returns the share of `pairs` training pairs that a configuration holds out for validation.
[[nodiscard]] HeldOutShare held_out_share(const Config& config, std::uint64_t pairs);

/// The test pairs of a configuration. Throws ConfigError if it names none, DataError if they are invalid.
[[nodiscard]] ParallelCorpus read_test_text(const Config& config);

/// The validation pairs of a configuration, also if they are a fraction of the training pairs. Throws as read_test_text
/// does.
[[nodiscard]] ParallelCorpus read_validation_text(const Config& config);

}  // namespace translate

#pragma once

#include <string>

#include "eval/named_metrics.h"

namespace translate::tools {

/// Writes the scores of every sentence in the format of the path's extension: .tsv is a table with a header, a column
/// `line` and a column for each metric; .jsonl has an object on each line, which includes the texts. Throws ConfigError
/// for another extension, RuntimeError if writing fails.
void write_sentence_scores(const std::string& path, const ScoredOutput& text);

/// Throws ConfigError unless write_sentence_scores knows the extension of `path`.
void check_sentence_scores_path(const std::string& path);

}  // namespace translate::tools

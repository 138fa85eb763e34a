#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "corpora/corpus_reader.h"
#include "decoding/model_source.h"
#include "eval/comparison.h"
#include "eval/eval_arguments.h"
#include "eval/test_scorings.h"
#include "languages/language_groups.h"

namespace translate::tools {

/// Text to evaluate on.
struct EvaluationText {
  ParallelCorpus pairs;
  std::vector<std::string> target_languages;  ///< of each source, for its tag; none if no corpus has tags
  std::vector<LanguageGroup> groups;          ///< by direction, if the corpora name several
  std::optional<TestFiles> test_files;        ///< nothing for a validation set
};

/// Reads the pairs to evaluate on: those of --source and --reference, without sources for --hypotheses alone; else
/// those of the model's run. --split is test, validation, or empty. Empty means the test set, or the validation set if
/// the configuration has no test set, which the log then says. Files that were moved with the run, or without it, are
/// found again (see find_moved_text). Throws ConfigError if the configuration does not name the set, DataError if a
/// text is malformed or cannot be found.
[[nodiscard]] EvaluationText read_pairs(const EvalArguments& arguments, const std::optional<ModelSource>& model);

/// Returns all lists of references: the targets of `pairs` and the files after the first one on the command line.
/// Throws DataError if their numbers of lines differ.
[[nodiscard]] std::vector<std::vector<std::string>> read_references(const EvalArguments& arguments,
                                                                    ParallelCorpus& pairs);

/// Reads the translations of --against. Throws DataError if a file does not have a line for each of the sentences.
[[nodiscard]] std::vector<OtherSystem> read_others(const EvalArguments& arguments, std::size_t sentences);

}  // namespace translate::tools

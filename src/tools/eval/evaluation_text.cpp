#include "eval/evaluation_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "config/validate.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "corpora/checked_text.h"
#include "corpora/text_splits.h"

namespace translate::tools {

namespace {

constexpr const char* kAdvice = "; give --source FILE --reference FILE";

/// Replaces the paths of moved files by their present ones.
void find_text(std::vector<CorpusFiles>& files, const std::vector<CorpusSum>& sums, const RunPlaces& run,
               const std::string& key) {
  try {
    files = find_moved_text(files, sums, run, key);
  } catch (const DataError& error) {
    throw DataError(error.what() + std::string(kAdvice));
  }
}

/// A text of a configuration.
struct TextSet {
  const char* key;
  std::vector<CorpusFiles>& files;
  std::vector<CorpusSum> TextSums::*sums;  ///< those of its files in a checkpoint
};

EvaluationText read_evaluation_text(const ModelSource& model, const std::string& split) {
  auto config = model.config();
  auto& data = config.data;
  const bool falls_back = split.empty() && data.test.empty() && has_validation(data);
  const bool wants_test = split != "validation" && !falls_back;
  if (falls_back) {
    log_info(
        "data.test: the run's configuration names no test set; evaluating on its validation set, which training has "
        "used to choose checkpoints (to use another text: --source FILE --reference FILE)");
  }
  const bool is_share = !wants_test && data.validation.fraction > 0;
  const auto evaluated = wants_test ? TextSet{"data.test", data.test, &TextSums::test}
                         : is_share ? TextSet{"data.train", data.train, &TextSums::train}
                                    : TextSet{"data.validation", data.validation.files, &TextSums::validation};
  auto& files = evaluated.files;
  if (const auto checkpoint = model.checkpoint()) {
    const RunPlaces run{.then = config.run_dir, .now = checkpoint->run_folder()};
    const auto sums = checkpoint->text_sums().value_or(TextSums());
    find_text(files, sums.*evaluated.sums, run, evaluated.key);
  }
  EvaluationText text{.pairs = wants_test ? read_test_text(config) : read_validation_text(config),
                      .target_languages = {},
                      .groups = {},
                      .test_files = {}};
  text.groups = group_by_languages(data, files, text.pairs.origin);
  if (has_language_tags(data)) {
    for (const auto& origin : text.pairs.origin) {
      text.target_languages.push_back(files[origin.corpus].target_language);
    }
  }
  if (wants_test) {
    text.test_files.emplace();
    for (const auto& corpus : files) {
      text.test_files->source.push_back(corpus.source.filename().string());
      text.test_files->reference.push_back(corpus.target.filename().string());
    }
  }
  return text;
}

/// Returns the names of the files that the command line gives.
TestFiles given_files(const EvalArguments& arguments) {
  TestFiles files;
  files.source.push_back(std::filesystem::path(arguments.source).filename().string());
  for (const auto& reference : arguments.references) {
    files.reference.push_back(std::filesystem::path(reference).filename().string());
  }
  return files;
}

}  // namespace

EvaluationText read_pairs(const EvalArguments& arguments, const std::optional<ModelSource>& model) {
  if (!arguments.references.empty()) {
    EvaluationText text;
    if (!arguments.source.empty()) {
      const CorpusFiles files{.source = arguments.source, .target = arguments.references.front()};
      text.pairs = read_parallel_corpus({&files, 1});
      text.test_files = given_files(arguments);
    } else {
      text.pairs.target = read_lines(arguments.references.front());
    }
    return text;
  }
  return read_evaluation_text(*model, arguments.split);
}

std::vector<std::vector<std::string>> read_references(const EvalArguments& arguments, ParallelCorpus& pairs) {
  std::vector<std::vector<std::string>> references = {std::move(pairs.target)};
  for (std::size_t i = 1; i < arguments.references.size(); ++i) {
    auto lines = read_lines(arguments.references[i]);
    if (lines.size() != references.front().size()) {
      throw DataError(fmt::format("{} has {}, but {} has {}: every file of references needs a line for each sentence",
                                  arguments.references[i], counted(lines.size(), "line"), arguments.references.front(),
                                  references.front().size()));
    }
    references.push_back(std::move(lines));
  }
  return references;
}

std::vector<OtherSystem> read_others(const EvalArguments& arguments, std::size_t sentences) {
  std::vector<OtherSystem> others;
  for (const auto& path : arguments.scoring.against) {
    others.push_back({.name = path, .hypotheses = read_lines(path)});
    if (others.back().hypotheses.size() != sentences) {
      throw DataError(fmt::format("--against {}: the file has {}, but there are {}", path,
                                  counted(others.back().hypotheses.size(), "line"), counted(sentences, "reference")));
    }
  }
  return others;
}

}  // namespace translate::tools

#include "recipe/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "config/json.h"
#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/unfinished_folder.h"
#include "corpora/checked_text.h"
#include "corpora/corpus_reader.h"
#include "pairs/formats/standard_input.h"
#include "pairs/languages/pair_languages.h"
#include "pairs/pair_preparation.h"
#include "pairs/text_quality.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTextFolder = "text";
constexpr const char* kInputsFile = "inputs.json";

Json sums_of(const std::vector<PairFiles>& files) {
  Json sums = Json::array();
  const auto add = [&](const fs::path& path) {
    if (const auto sum = sum_of_file(path)) {
      sums.push_back({path.filename().string(), sum->size, sum->crc32});
    }
  };
  for (const auto& one : files) {
    add(one.source);
    if (!one.target.empty() && one.target != one.source) {
      add(one.target);
    }
  }
  return sums;
}

/// What a run was made of: equal for the same files, wherever they are.
Json inputs_of(const RecipeRequest& request, const GivenText& given, std::uint64_t seed) {
  const auto& languages = given.languages.codes;
  Json inputs = {{"languages", {languages.source, languages.target}}, {"seed", seed}, {"files", sums_of(given.files)}};
  if (!request.init.empty()) {
    inputs["init"] = request.init;
    inputs["general"] = sums_of(given.general);
  }
  if (!given.clean.empty()) {
    inputs["clean"] = sums_of(given.clean);
  }
  Config distilled;
  distilled.distillation = request.distillation;
  if (request.size) {
    inputs["size"] = static_cast<int>(*request.size);
  }
  for (const auto& key : changed_keys(Config(), distilled)) {
    inputs[key] = find_key(key)->write(distilled);
  }
  return inputs;
}

/// Whether a run in this folder was made of the same text.
bool has_inputs(const fs::path& run_dir, const Json& inputs) {
  return std::ranges::any_of(std::array{kTextFolder, kCleanFolder}, [&](const char* folder) {
    const auto file = run_dir / folder / kInputsFile;
    std::error_code error;
    return fs::exists(file, error) && parse_json(read_file(file)) == inputs;
  });
}

/// "news" of news.de-en.tsv.gz.
std::string stem_of(const PairFiles& files) {
  auto name = files.source.filename().string();
  return name.substr(0, std::max<std::size_t>(1, name.find('.')));
}

/// The folder of the run: that of the same text if there is one, else one that is not there yet.
fs::path run_folder(const RecipeRequest& request, const GivenText& given, const Json& inputs) {
  std::error_code error;
  if (!request.run_dir.empty()) {
    const auto folder = fs::absolute(request.run_dir).lexically_normal();
    if (fs::exists(folder, error) && !fs::is_empty(folder, error) && !has_inputs(folder, inputs)) {
      throw ConfigError(fmt::format(
          "{}: is there already, and is not a run of the same text with the same options: give another --run-dir",
          folder.string()));
    }
    return folder;
  }
  const auto& languages = given.languages.codes;
  const auto base =
      fs::absolute("runs") / fmt::format("{}-{}-{}", languages.source, languages.target, stem_of(given.files.front()));
  for (int number = 1;; ++number) {
    const auto folder = number == 1 ? base : fs::path(fmt::format("{}-{}", base.string(), number));
    if (!fs::exists(folder, error) || has_inputs(folder, inputs)) {
      return folder;
    }
  }
}

/// Prepares pairs in a folder of the run, unless they are there; the run's inputs are kept beside them.
void write_text(const std::vector<PairFiles>& files, const TextLanguages& languages, const fs::path& folder,
                PreparationOptions options, const Json& inputs) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    return;
  }
  for (const auto& one : files) {
    log_info(fmt::format("data: reading {}", one.name()));
  }
  const UnfinishedFolder unfinished(folder);
  const auto open = opener_of(files);
  options.check = check_of_languages(languages, open);
  const auto counts = prepare_pairs(open, unfinished.path(), options);
  for (const auto& line : counts.describe()) {
    log_info("data: " + line);
  }
  write_file_synced(unfinished.path() / kInputsFile, inputs.dump() + "\n");
  unfinished.finish();
}

/// Makes those files the text of better quality that are much cleaner than the others (better_texts). More than
/// kMostCorpora files are taken for the parts of one corpus, and are not compared.
void find_clean_text(GivenText& given) {
  constexpr std::size_t kMostCorpora = 16;
  if (given.files.size() < 2 || given.files.size() > kMostCorpora) {
    return;
  }
  std::vector<TextQuality> qualities;
  for (const auto& files : given.files) {
    const auto open = opener_of({files});
    qualities.push_back(quality_of(open, check_of_languages(given.languages, open)));
  }
  const auto better = better_texts(qualities);
  if (better.empty()) {
    return;
  }
  std::vector<PairFiles> others;
  for (std::size_t i = 0; i < given.files.size(); ++i) {
    const bool is_better = std::ranges::binary_search(better, i);
    log_info(fmt::format("quality: {}: {:.1f} % of its first {} are to be left out{}", given.files[i].name(),
                         100.0 * qualities[i].noise, counted(qualities[i].pairs, "pair"),
                         is_better ? "; training ends on this text" : ""));
    (is_better ? given.clean : others).push_back(std::move(given.files[i]));
  }
  given.files = std::move(others);
  log_info("quality: validation and test set are of the better text; --clean none treats all text alike");
}

}  // namespace

GivenText find_text(const RecipeRequest& request, const LanguageCodes& known, std::optional<TemporaryFolder>& copied) {
  GivenText given;
  const auto files = with_standard_input(request.files, copied);
  given.files = find_pair_files(files, known);
  given.languages = languages_of_text(given.files, known);
  const auto& codes = given.languages.codes;
  log_info(fmt::format("languages: from {} ({}) to {} ({})", language_name(codes.source), codes.source,
                       language_name(codes.target), codes.target));
  const auto find_others = [&](const std::vector<fs::path>& others) {
    auto found = find_pair_files(others, codes);
    static_cast<void>(languages_of_text(found, codes));  // throws if it is in others
    return found;
  };
  if (!request.general.empty()) {
    given.general = find_others(request.general);
  }
  if (!request.clean.empty()) {
    given.clean = find_others(request.clean);
  } else if (request.init.empty() && request.finds_clean) {
    find_clean_text(given);
  }
  return given;
}

RunText prepare_run_text(const RecipeRequest& request, const GivenText& given, std::uint64_t seed) {
  const auto inputs = inputs_of(request, given, seed);
  RunText run{.run_dir = run_folder(request, given, inputs),
              .text = {},
              .general = {},
              .clean = {},
              .languages = given.languages.codes,
              .tagged = {},
              .seed = seed};
  run.text = run.run_dir / kTextFolder;
  std::error_code error;
  run.has_recipe = has_inputs(run.run_dir, inputs) && fs::exists(run.run_dir / kRecipeFile, error);
  make_folder(run.run_dir);
  PreparationOptions options{.languages = given.languages.codes, .seed = seed};
  if (!given.clean.empty()) {
    run.clean = run.run_dir / kCleanFolder;
    write_text(given.clean, given.languages, run.clean, options, inputs);
    options.holds_out = false;
    options.other_text = run.clean;
  }
  write_text(given.files, given.languages, run.text, options, inputs);
  if (!given.general.empty()) {
    run.general = run.run_dir / kGeneralFolder;
    options.other_text = run.text;
    write_text(given.general, given.languages, run.general, options, inputs);
  }
  return run;
}

CorpusFiles corpus_of(const RunText& run, const fs::path& folder, const std::string& set) {
  auto files = prepared_files(folder, set, run.languages);
  files.source_language = run.tagged.source;
  files.target_language = run.tagged.target;
  return files;
}

std::vector<CorpusFiles> real_corpora(const RunText& run) {
  std::vector<CorpusFiles> corpora = {prepared_files(run.text, "train", run.languages)};
  if (!run.clean.empty()) {
    corpora.push_back(prepared_files(run.clean, "train", run.languages));
  }
  return corpora;
}

TextAmount amount_of(const std::vector<CorpusFiles>& corpora) {
  TextAmount amount;
  for (const auto& files : corpora) {
    LineReader reader(files.target);
    for (std::string line; reader.next(line);) {
      ++amount.pairs;
      amount.target_bytes += static_cast<double>(line.size());
    }
  }
  return amount;
}

}  // namespace translate::trainer

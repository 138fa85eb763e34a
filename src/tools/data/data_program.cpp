#include "data/data_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/language_option.h"
#include "command_line/program.h"
#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/temporary_folder.h"
#include "core/threads.h"
#include "data/dual_score.h"
#include "data/pair_output.h"
#include "decoding/model_source.h"
#include "infer/shard.h"
#include "pairs/formats/pair_files.h"
#include "pairs/formats/standard_input.h"
#include "pairs/languages/pair_languages.h"
#include "pairs/languages/text_languages.h"
#include "pairs/shortlist_training.h"
#include "pairs/text_cleaning.h"

namespace translate::tools {

namespace {

constexpr const char* kClean = "clean";
constexpr const char* kConvert = "convert";
constexpr const char* kShortlist = "shortlist";

struct Arguments {
  CommonOptions common;
  std::string work;
  std::vector<std::string> files;
  LanguageCodes languages;
  std::string output;
  std::string left_out;
  std::vector<std::string> allowed;
  std::vector<std::string> models;
  double worst = 0.1;
  std::string shard;
  CheckpointOptions checkpoint;
  int most = 50;
};

constexpr const char* kFooter = R"(Examples:
  translate-data clean my.tmx --output clean.tsv
      leave out pairs that harm a training; clean.tsv.left-out.tsv has them, each with the reason
  translate-data clean train.de train.en --output clean
      the same for two texts: writes clean.de and clean.en
  translate-data clean big.tsv.zst --shard 2/8 --output part-{shard}.tsv
      clean the second of eight shards, for work on several machines; each learns from its own pairs which
      words belong together
  translate-data clean corpus.zip | translate-train - --hours 8 --source-language de --target-language en
      train on the result
  translate-data clean big.tsv --dual-score runs/de-en/best runs/en-de/best --output clean.tsv
      leave out the tenth that two models find least likely as well
  translate-data convert my.xliff --output my.tsv
      another format, with all pairs
  translate-data shortlist train.de train.en --checkpoint runs/de-en/best --output lex.50.50.deen.s2t.bin
      which subwords may translate which, for translate-infer --shortlist

FILE is two texts, or .tsv, .csv, .jsonl, .tmx, .xliff, packed or not, archives and folders of these, or -
for stdin. What is left out and why, and the formats: docs/data.md.
Exit codes: 0 done, 1 failed, 2 wrong option or data.)";

std::vector<std::string> reason_names() {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < kDropReasons; ++i) {  // a blank side cannot be allowed
    if (static_cast<DropReason>(i) == DropReason::kWorst) {
      continue;  // only --dual-score leaves pairs out for it
    }
    names.emplace_back(reason_name(static_cast<DropReason>(i)));
  }
  return names;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("WORK", arguments.work, "clean, convert or shortlist")
      ->check(CLI::IsMember({kClean, kConvert, kShortlist}))
      ->required()
      ->type_name("");
  app.add_option("FILE", arguments.files, "Parallel text: two texts, or files, archives and folders of pairs")
      ->required()
      ->type_name("");
  app.add_option("--output", arguments.output,
                 "Where to write: a table (.tsv), objects (.jsonl), or the beginning of the names of two texts "
                 "(default: a table on stdout); with shortlist, the file of the list")
      ->type_name("FILE");
  add_language_option(app, "--source-language", arguments.languages.source,
                      "The language to translate from, such as de (default: what the files say)");
  add_language_option(app, "--target-language", arguments.languages.target, "The same for the target language");
  app.add_option("--left-out", arguments.left_out,
                 "With clean: the table of pairs that were left out (default: OUTPUT.left-out.tsv; none for stdout)")
      ->type_name("FILE");
  app.add_option("--allow", arguments.allowed,
                 "With clean: reasons for which no pair is left out, such as numbers,html")
      ->check(CLI::IsMember(reason_names()))
      ->delimiter(',')
      ->type_name("REASON");
  auto* models =
      app.add_option("--dual-score", arguments.models,
                     "With clean: two models (checkpoints), one for each direction; of the pairs that are left, the "
                     "share that the two find least likely is left out (dual cross-entropy), which takes the time of "
                     "two passes")
          ->expected(2)
          ->type_name("WHICH");
  app.add_option("--dual-share", arguments.worst, "With --dual-score: that share")
      ->check(CLI::Range(0.0, 1.0))
      ->needs(models)
      ->type_name("S")
      ->capture_default_str();
  app.add_option(
         "--shard", arguments.shard,
         "With clean: the K-th of N shards of the pairs (K from 1 to N); {shard} in the names of outputs stands "
         "for K. auto: the place of this process among those that torchrun or Slurm has started")
      ->type_name("K/N");
  app.add_option(
         "--checkpoint", arguments.checkpoint.checkpoint,
         "With shortlist: the model (a checkpoint, or a folder of Marian's or Firefox's) whose subwords it lists")
      ->each([&arguments](const std::string& /*value*/) { arguments.checkpoint.chosen = true; })
      ->type_name("WHICH");
  app.add_option(
         "--most", arguments.most,
         "With shortlist: the most translations of a source subword, and the number of frequent target subwords "
         "that every translation may have")
      ->check(CLI::Range(1, kMostListed))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", arguments.common.threads, "Number of threads (0: the processors it may use)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str();
  add_common_options(app, arguments.common, Work::kConversion);
  app.footer(kFooter);
}

DropReasons reasons_of(const std::vector<std::string>& names) {
  DropReasons reasons;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    reasons[i] = std::ranges::find(names, reason_name(static_cast<DropReason>(i))) != names.end();
  }
  return reasons;
}

/// Throws ConfigError if an option is given that the work does not have.
void check_work(const Arguments& arguments) {
  if (arguments.work == kShortlist && (!arguments.checkpoint.chosen || arguments.output.empty())) {
    throw ConfigError(
        "shortlist needs --checkpoint, the model whose subwords it lists, and --output, the file to write");
  }
  if (arguments.work != kShortlist && arguments.checkpoint.chosen) {
    throw ConfigError("--checkpoint has a meaning with shortlist alone");
  }
  if (arguments.work != kClean && (!arguments.left_out.empty() || !arguments.allowed.empty() ||
                                   !arguments.shard.empty() || !arguments.models.empty())) {
    throw ConfigError(
        fmt::format("--left-out, --allow, --dual-score and --shard have no meaning with {}, which takes all pairs",
                    arguments.work));
  }
}

std::uint64_t convert(const OpenPairs& open, PairOutput& output) {
  std::uint64_t count = 0;
  SentencePair pair;
  for (const auto& source : open()) {
    for (; source->next(pair); ++count) {
      output.write(pair);
    }
  }
  return count;
}

/// Makes the shortlist of a model, whose languages are wanted unless others are named.
int make_shortlist(const Arguments& arguments) {
  const ModelSource model(arguments.checkpoint, Verify::kSizes);
  auto languages = language_codes(model.config().data);
  languages.source = arguments.languages.source.empty() ? languages.source : arguments.languages.source;
  languages.target = arguments.languages.target.empty() ? languages.target : arguments.languages.target;
  std::optional<TemporaryFolder> copied;
  const auto files =
      find_pair_files(with_standard_input({arguments.files.begin(), arguments.files.end()}, copied), languages);
  const auto tokenizers = model.tokenizers();
  const auto sources = opener_of(files)();
  auto source = sources.begin();
  const auto next = [&](SentencePair& pair) {
    while (source != sources.end() && !(*source)->next(pair)) {
      ++source;
    }
    return source != sources.end();
  };
  const auto trained = train_shortlist(next, tokenizers, static_cast<std::size_t>(arguments.most));
  write_file_atomically(arguments.output, trained.file);
  log_info(
      fmt::format("{}: from {}, of whose target subwords {:.2f} % are on the lists of their sentences, {:.0f} of {} "
                  "subwords each on average",
                  arguments.output, counted(trained.pairs, "pair"), 100.0 * trained.covered, trained.subwords,
                  tokenizers.target.vocab_size()));
  return 0;
}

int run(Arguments arguments) {
  start_logging(arguments.common);
  check_work(arguments);
  (void)set_kernel_threads(arguments.common.threads);
  if (arguments.work == kShortlist) {
    return make_shortlist(arguments);
  }
  CleaningOptions options{.allowed = reasons_of(arguments.allowed), .left_out = arguments.left_out};
  if (!arguments.shard.empty()) {
    const auto shard = read_shard(arguments.shard);
    options.shard = {.number = static_cast<std::uint64_t>(shard.number - 1),
                     .of = static_cast<std::uint64_t>(shard.count)};
    arguments.output = shard_output(arguments.output, shard, arguments.shard);
    options.left_out = arguments.left_out.empty() ? "" : shard_output(arguments.left_out, shard, arguments.shard);
  }
  if (options.left_out.empty() && !arguments.output.empty()) {
    options.left_out = arguments.output + ".left-out.tsv";
  }
  std::optional<TemporaryFolder> copied;
  const auto files = find_pair_files(with_standard_input({arguments.files.begin(), arguments.files.end()}, copied),
                                     arguments.languages);
  const auto languages = languages_of_text(files, arguments.languages);
  const auto open = opener_of(files);
  const auto output = open_pair_output(arguments.output, languages.codes);
  if (arguments.work == kConvert) {
    log_info(counted(convert(open, *output), "pair") + " written");
    output->finish();
    return 0;
  }
  options.languages = check_of_languages(languages, open);
  std::optional<DualScore> dual;
  if (!arguments.models.empty()) {
    dual.emplace(arguments.models.front(), arguments.models.back());
    options.worst = {.share = arguments.worst, .score = [&](std::span<const SentencePair> pairs, std::uint64_t of) {
                       return dual->score(pairs, of);
                     }};
  }
  const auto counts = clean_pairs(open, options, [&](const SentencePair& pair) { output->write(pair); });
  output->finish();
  for (const auto& line : counts.describe()) {
    log_info(line);
  }
  log_info(counted(counts.kept, "pair") + " written");
  return 0;
}

struct CommandLine {
  CommandLine() { add_options(app, arguments); }

  CLI::App app{"Cleans and converts parallel text, and learns shortlists from it.", "translate-data"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> data_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_data(int argc, char** argv) {
  CommandLine line;
  return run_program(line.app, argc, argv, [&] { return run(line.arguments); });
}

}  // namespace translate::tools

#include "pairs/pair_preparation.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "core/counted.h"
#include "core/error.h"
#include "corpora/corpus_reader.h"
#include "pairs/held_out_pairs.h"
#include "pairs/pair_writer.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

void each_line_pair(const CorpusFiles& files, const std::function<void(const SentencePair&)>& use) {
  PairReader reader({&files, 1});
  SentencePair pair;
  for (TextPair read; reader.next(read);) {
    pair.source.swap(read.source);
    pair.target.swap(read.target);
    use(pair);
  }
}

PairWriter writer_of(const CorpusFiles& files) { return {files.source, files.target}; }

/// The pairs that are held out of another prepared text.
NearDuplicatePairs held_out_of(const fs::path& folder, const LanguageCodes& languages) {
  NearDuplicatePairs held_out;
  for (const auto* set : {"validation", "test"}) {
    each_line_pair(prepared_files(folder, set, languages), [&](const SentencePair& pair) { held_out.add(pair, 0); });
  }
  return held_out;
}

}  // namespace

std::vector<std::string> PreparationCounts::describe() const {
  auto lines = cleaning.describe();
  const auto sets = held_out == 0
                        ? std::string()
                        : fmt::format(", {} for validation, {} for the test", held_out - held_out / 2, held_out / 2);
  lines.push_back(
      fmt::format("{} to train on{}; {} more left out, because they say almost the same as one for validation or the "
                  "test",
                  training, sets, near_duplicates));
  return lines;
}

CorpusFiles prepared_files(const fs::path& folder, const std::string& set, const LanguageCodes& languages) {
  const bool are_known = !languages.source.empty() && !languages.target.empty() && languages.source != languages.target;
  return {.source = folder / fmt::format("{}.{}", set, are_known ? languages.source : kUnknownSource),
          .target = folder / fmt::format("{}.{}", set, are_known ? languages.target : kUnknownTarget)};
}

PreparationCounts prepare_pairs(const OpenPairs& open, const fs::path& folder, const PreparationOptions& options) {
  PreparationCounts counts;
  const auto& languages = options.languages;
  const auto clean = prepared_files(folder, "clean", languages);
  {
    auto writer = writer_of(clean);
    counts.cleaning = clean_pairs(open, {.languages = options.check, .left_out = folder / "left-out.tsv"},
                                  [&](const SentencePair& pair) { writer.write(pair); });
    writer.finish();
  }
  const auto kept = counts.cleaning.kept;
  if (kept < kFewestPairs) {
    throw DataError(fmt::format(
        "{} of {} can be used for a training, which takes {} at least{}", kept, counted(counts.cleaning.read, "pair"),
        kFewestPairs,
        kept == counts.cleaning.read
            ? ""
            : fmt::format("; what is wrong with the others:\n  {}", fmt::join(counts.cleaning.describe(), "\n  "))));
  }
  HeldOutPairs held_out(options.holds_out ? held_out_size(kept) : 0, options.seed);
  each_line_pair(clean, [&](const SentencePair& pair) { held_out.propose(pair); });
  held_out.index_candidates();
  each_line_pair(clean, [&](const SentencePair& pair) { held_out.count_near_duplicates(pair); });
  held_out.choose();
  const auto of_other_text =
      options.other_text.empty() ? NearDuplicatePairs() : held_out_of(options.other_text, languages);
  auto training = writer_of(prepared_files(folder, "train", languages));
  std::optional<PairWriter> validation;
  std::optional<PairWriter> test;
  if (options.holds_out) {
    validation.emplace(writer_of(prepared_files(folder, "validation", languages)));
    test.emplace(writer_of(prepared_files(folder, "test", languages)));
  }
  each_line_pair(clean, [&](const SentencePair& pair) {
    switch (held_out.use_of(pair)) {
      case PairUse::kTraining:
        if (of_other_text.has(pair)) {
          ++counts.near_duplicates;
          return;
        }
        ++counts.training;
        return training.write(pair);
      case PairUse::kValidation:
        ++counts.held_out;
        return validation->write(pair);
      case PairUse::kTest:
        ++counts.held_out;
        return test->write(pair);
      case PairUse::kNearDuplicate:
        ++counts.near_duplicates;
        return;
    }
  });
  training.finish();
  if (options.holds_out) {
    validation->finish();
    test->finish();
  }
  fs::remove(clean.source);
  fs::remove(clean.target);
  return counts;
}

}  // namespace translate

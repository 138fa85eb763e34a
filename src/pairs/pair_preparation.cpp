#include "pairs/pair_preparation.h"

#include <fmt/format.h>

#include <functional>

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

}  // namespace

std::vector<std::string> PreparationCounts::describe() const {
  auto lines = cleaning.describe();
  lines.push_back(
      fmt::format("{} to train on, {} for validation, {} for the test; {} more left out, because they say almost the "
                  "same as one of these",
                  training, held_out - held_out / 2, held_out / 2, near_duplicates));
  return lines;
}

CorpusFiles prepared_files(const fs::path& folder, const std::string& set, const LanguageCodes& languages) {
  const bool are_known = !languages.source.empty() && !languages.target.empty() && languages.source != languages.target;
  return {.source = folder / fmt::format("{}.{}", set, are_known ? languages.source : kUnknownSource),
          .target = folder / fmt::format("{}.{}", set, are_known ? languages.target : kUnknownTarget)};
}

PreparationCounts prepare_pairs(const OpenPairs& open, const fs::path& folder, const LanguageCodes& languages,
                                std::uint64_t seed, const LanguageCheck& check) {
  PreparationCounts counts;
  const auto clean = prepared_files(folder, "clean", languages);
  {
    auto writer = writer_of(clean);
    counts.cleaning = clean_pairs(open, {.languages = check, .left_out = folder / "left-out.tsv"},
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
  HeldOutPairs held_out(held_out_size(kept), seed);
  each_line_pair(clean, [&](const SentencePair& pair) { held_out.propose(pair); });
  held_out.index_candidates();
  each_line_pair(clean, [&](const SentencePair& pair) { held_out.count_near_duplicates(pair); });
  held_out.choose();
  auto training = writer_of(prepared_files(folder, "train", languages));
  auto validation = writer_of(prepared_files(folder, "validation", languages));
  auto test = writer_of(prepared_files(folder, "test", languages));
  each_line_pair(clean, [&](const SentencePair& pair) {
    switch (held_out.use_of(pair)) {
      case PairUse::kTraining:
        ++counts.training;
        return training.write(pair);
      case PairUse::kValidation:
        ++counts.held_out;
        return validation.write(pair);
      case PairUse::kTest:
        ++counts.held_out;
        return test.write(pair);
      case PairUse::kNearDuplicate:
        ++counts.near_duplicates;
        return;
    }
  });
  training.finish();
  validation.finish();
  test.finish();
  fs::remove(clean.source);
  fs::remove(clean.target);
  return counts;
}

}  // namespace translate

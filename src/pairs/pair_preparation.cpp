#include "pairs/pair_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "core/counted.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/utf8.h"
#include "corpora/corpus_reader.h"
#include "pairs/held_out_pairs.h"
#include "pairs/line_shift.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

/// A text file that is written line by line.
class LineWriter {
 public:
  explicit LineWriter(const fs::path& path) : file_(path) {}

  void write(std::string_view line) {
    constexpr std::size_t kChunk = std::size_t{1} << 20U;
    bytes_ += line;
    bytes_ += '\n';
    if (bytes_.size() > kChunk) {
      file_.write(std::exchange(bytes_, {}));
    }
  }

  void finish() {
    file_.write(bytes_);
    static_cast<void>(file_.finish());
  }

 private:
  OutputFile file_;
  std::string bytes_;
};

/// The two files of a set.
class PairWriter {
 public:
  explicit PairWriter(const CorpusFiles& files) : source_(files.source), target_(files.target) {}

  void write(const SentencePair& pair) {
    source_.write(pair.source);
    target_.write(pair.target);
  }

  void finish() {
    source_.finish();
    target_.finish();
  }

 private:
  LineWriter source_;
  LineWriter target_;
};

/// A text without white space at its ends and without tabs, which separate the columns of left-out.tsv.
std::string tidied(const std::string& text) {
  const auto space = leading_space(text).size();
  if (space == text.size()) {
    return "";
  }
  auto tidy = text.substr(space, text.size() - space - trailing_space(text).size());
  std::ranges::replace(tidy, '\t', ' ');
  return tidy;
}

void each_pair(const OpenPairs& open, std::size_t most_of_each,
               const std::function<void(const SentencePair&, const PairSource&)>& use) {
  SentencePair pair;
  for (const auto& source : open()) {
    for (std::size_t read = 0; read < most_of_each && source->next(pair); ++read) {
      use({.source = tidied(pair.source), .target = tidied(pair.target)}, *source);
    }
  }
}

constexpr std::size_t kAll = static_cast<std::size_t>(-1);

LengthRatios usual_lengths(const OpenPairs& open) {
  constexpr std::size_t kEnough = 50'000;
  LengthRatios lengths;
  each_pair(open, kEnough, [&](const SentencePair& pair, const PairSource&) {
    if (!is_blank(pair.source) && !is_blank(pair.target)) {
      lengths.add(pair);
    }
  });
  return lengths;
}

void each_line_pair(const CorpusFiles& files, const std::function<void(const SentencePair&)>& use) {
  PairReader reader({&files, 1});
  SentencePair pair;
  for (TextPair read; reader.next(read);) {
    pair.source.swap(read.source);
    pair.target.swap(read.target);
    use(pair);
  }
}

/// Throws DataError if the lines of one side are shifted against those of the other.
void check_shift(const LineShift& shift, const PairSource& source) {
  if (const auto found = shift.found()) {
    throw DataError(fmt::format(
        "{}: somewhere around pair {} of this text its two sides go out of step: from there on, the translation of a "
        "sentence stands {} {}. A line is missing on one side, or there is one too many; mend that, or cut the text "
        "there",
        source.place(), found->first, counted(static_cast<std::uint64_t>(std::abs(found->lines)), "line"),
        found->lines > 0 ? "too low" : "too high"));
  }
}

}  // namespace

std::vector<std::string> PreparationCounts::describe() const {
  std::vector<std::string> lines;
  const auto all = std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0});
  lines.push_back(fmt::format("data: {} read, {} left out{}", counted(read, "pair"), all, all == 0 ? "" : ":"));
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i] > 0) {
      lines.push_back(fmt::format("data:   {:>8} {}", dropped[i], reason_text(static_cast<DropReason>(i))));
    }
  }
  lines.push_back(fmt::format(
      "data: {} to train on, {} for validation, {} for the test; {} more left out, because they say almost the same as "
      "one of these",
      training, held_out - held_out / 2, held_out / 2, near_duplicates));
  return lines;
}

CorpusFiles prepared_files(const fs::path& folder, const std::string& set, const LanguageCodes& languages) {
  const bool are_known = !languages.source.empty() && !languages.target.empty() && languages.source != languages.target;
  return {.source = folder / fmt::format("{}.{}", set, are_known ? languages.source : kUnknownSource),
          .target = folder / fmt::format("{}.{}", set, are_known ? languages.target : kUnknownTarget)};
}

PreparationCounts prepare_pairs(const OpenPairs& open, const fs::path& folder, const LanguageCodes& languages,
                                std::uint64_t seed) {
  PreparationCounts counts;
  PairCleaning cleaning(usual_lengths(open));
  const auto clean = prepared_files(folder, "clean", languages);
  {
    PairWriter writer(clean);
    LineWriter left_out(folder / "left-out.tsv");
    LineShift shift;
    const PairSource* watched = nullptr;
    left_out.write("reason\tplace\tsource\ttarget");
    each_pair(open, kAll, [&](const SentencePair& pair, const PairSource& source) {
      ++counts.read;
      if (watched != &source) {
        shift = {};
        watched = &source;
      }
      shift.add(pair);
      check_shift(shift, source);
      if (const auto reason = cleaning.judge(pair)) {
        ++counts.dropped[static_cast<std::size_t>(*reason)];
        left_out.write(fmt::format("{}\t{}\t{}\t{}", reason_text(*reason), source.place(), pair.source, pair.target));
        return;
      }
      writer.write(pair);
      ++counts.training;
    });
    writer.finish();
    left_out.finish();
  }
  if (counts.training < kFewestPairs) {
    throw DataError(fmt::format(
        "{} of {} can be used for a training, which takes {} at least{}", counts.training, counted(counts.read, "pair"),
        kFewestPairs,
        counts.training == counts.read
            ? ""
            : "; what is wrong with the others:\n  " + fmt::format("{}", fmt::join(counts.describe(), "\n  "))));
  }
  HeldOutPairs held_out(held_out_size(counts.training), seed);
  each_line_pair(clean, [&](const SentencePair& pair) { held_out.propose(pair); });
  held_out.index_candidates();
  each_line_pair(clean, [&](const SentencePair& pair) { held_out.count_near_duplicates(pair); });
  held_out.choose();
  PairWriter training(prepared_files(folder, "train", languages));
  PairWriter validation(prepared_files(folder, "validation", languages));
  PairWriter test(prepared_files(folder, "test", languages));
  counts.training = 0;
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

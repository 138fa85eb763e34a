#include "pairs/text_cleaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/counted.h"
#include "core/error.h"
#include "core/threads.h"
#include "core/utf8.h"
#include "pairs/line_shift.h"
#include "pairs/near_duplicate_index.h"
#include "pairs/pair_writer.h"

namespace translate {

namespace {

/// A text without white space at its ends and without tabs, which separate the columns of a table.
std::string tidied(const std::string& text) {
  const auto space = leading_space(text).size();
  if (space == text.size()) {
    return "";
  }
  auto tidy = text.substr(space, text.size() - space - trailing_space(text).size());
  std::ranges::replace(tidy, '\t', ' ');
  return tidy;
}

UsualPairs usual_pairs(const OpenPairs& open) {
  constexpr std::size_t kEnough = 50'000;
  UsualPairs usual;
  SentencePair pair;
  for (const auto& source : open()) {
    for (std::size_t read = 0; read < kEnough && source->next(pair); ++read) {
      if (!is_blank(pair.source) && !is_blank(pair.target)) {
        usual.add({.source = tidied(pair.source), .target = tidied(pair.target)});
      }
    }
  }
  return usual;
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

struct ReadPair {
  SentencePair pair;
  std::string place;
  PairVerdict verdict = {};
};

/// Cleans pairs in blocks, which the threads divide.
class BlockCleaner {
 public:
  BlockCleaner(PairCleaning cleaning, const std::filesystem::path& left_out,
               const std::function<void(const SentencePair& pair)>& keep)
      : cleaning_(std::move(cleaning)), keep_(keep) {
    if (!left_out.empty()) {
      left_out_.emplace(left_out);
      left_out_->write("reason\tplace\tsource\ttarget");
    }
  }

  void add(SentencePair pair, const PairSource& source) {
    constexpr std::size_t kBlock = 8192;
    block_.push_back({.pair = std::move(pair), .place = left_out_ ? source.place() : ""});
    if (block_.size() == kBlock) {
      clean();
    }
  }

  CleaningCounts finish() {
    clean();
    if (left_out_) {
      left_out_->finish();
    }
    return counts_;
  }

 private:
  void clean() {
    constexpr std::int64_t kAtOnce = 256;
    parallel_ranges(std::ssize(block_), kAtOnce, [this](std::int64_t begin, std::int64_t end) {
      for (auto& read :
           std::span(block_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))) {
        read.verdict = cleaning_.look_at(read.pair);
      }
    });
    for (auto& [pair, place, verdict] : block_) {
      ++counts_.read;
      if (!verdict.reason && cleaning_.is_repeated(pair)) {
        verdict.reason = DropReason::kRepeated;
      }
      if (!verdict.reason) {
        ++counts_.kept;
        counts_.decoded += verdict.is_decoded ? 1 : 0;
        counts_.swapped += verdict.is_swapped ? 1 : 0;
        keep_(pair);
        continue;
      }
      ++counts_.dropped[static_cast<std::size_t>(*verdict.reason)];
      if (left_out_) {
        left_out_->write(fmt::format("{}\t{}\t{}\t{}", reason_text(*verdict.reason), place, pair.source, pair.target));
      }
    }
    block_.clear();
  }

  PairCleaning cleaning_;
  const std::function<void(const SentencePair& pair)>& keep_;
  std::optional<TextFileWriter> left_out_;
  std::vector<ReadPair> block_;
  CleaningCounts counts_;
};

}  // namespace

std::vector<std::string> CleaningCounts::describe() const {
  std::vector<std::string> lines;
  const auto all = std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0});
  lines.push_back(fmt::format("{} read, {} left out{}", counted(read, "pair"), all, all == 0 ? "" : ":"));
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i] > 0) {
      lines.push_back(fmt::format("  {:>8} {}", dropped[i], reason_text(static_cast<DropReason>(i))));
    }
  }
  if (decoded > 0) {
    lines.push_back(fmt::format("{} with a wrong encoding or character references, mended", counted(decoded, "pair")));
  }
  if (swapped > 0) {
    lines.push_back(fmt::format("{} with the sides in each other's place, exchanged", counted(swapped, "pair")));
  }
  return lines;
}

CleaningCounts clean_pairs(const OpenPairs& open, const CleaningOptions& options,
                           const std::function<void(const SentencePair& pair)>& keep) {
  const auto& [languages, allowed, left_out, shard] = options;
  BlockCleaner cleaner(PairCleaning(usual_pairs(open), languages, allowed), left_out, keep);
  SentencePair pair;
  for (const auto& source : open()) {
    LineShift shift;
    while (source->next(pair)) {
      SentencePair tidy{.source = tidied(pair.source), .target = tidied(pair.target)};
      shift.add(tidy);
      check_shift(shift, *source);
      if (shard.of == 1 || hash_of_words(tidy.source) % shard.of == shard.number) {
        cleaner.add(std::move(tidy), *source);
      }
    }
  }
  return cleaner.finish();
}

}  // namespace translate

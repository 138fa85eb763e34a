#include "pairs/text_cleaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/error.h"
#include "core/utf8.h"
#include "pairs/frequent_targets.h"
#include "pairs/lexical_cleaning.h"
#include "pairs/lexical_decoys.h"
#include "pairs/line_shift.h"
#include "pairs/near_duplicate_index.h"
#include "pairs/pair_blocks.h"
#include "pairs/pair_marks.h"
#include "pairs/pair_sample.h"
#include "pairs/pair_writer.h"

namespace translate {

namespace {

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

/// Cleans a text in several readings.
class TextCleaner {
 public:
  TextCleaner(const OpenPairs& open, const CleaningOptions& options)
      : open_(open), options_(options), cleaning_(usual_pairs(open), options.languages, options.allowed) {}

  /// Looks at each pair by itself, and collects what the second reading needs.
  void read_first() {
    LineShift shift;
    const PairSource* of = nullptr;
    each_block(
        open_, TellPlaces::kNo, [this](std::span<NumberedTextPair> block) { look_at(block); },
        [&](const SentencePair& pair, const PairSource& source) {
          if (std::exchange(of, &source) != &source) {
            shift = {};
          }
          shift.add(pair);
          check_shift(shift, source);
        });
  }

  /// Looks at the words of the pairs that are left, and at their targets.
  void read_again() {
    std::optional<LexicalCleaning> words;
    if (looks_at_words()) {
      counts_.has_too_few_words = sample_.size() < LexicalCleaning::kFewestPairs;
      if (!counts_.has_too_few_words) {
        words.emplace(std::exchange(sample_, PairSample()), cleaning_.usual().lengths, options_.allowed);
      }
    }
    const bool looks_at_targets = cleaning_.looks_for(DropReason::kManySources) && targets_.has_any();
    if (!words && !looks_at_targets) {
      return;
    }
    each_block(open_, TellPlaces::kNo,
               [&](std::span<NumberedTextPair> block) { look_again(block, words, looks_at_targets); });
    for (const auto number : targets_.superfluous()) {
      auto mark = marks_[number];
      mark.reason = DropReason::kManySources;
      marks_.set(number, mark);
    }
  }

  /// Leaves out the share of the pairs left that scores worst.
  void read_scores() {
    if (!options_.worst.score) {
      return;
    }
    const auto is_left = [this](std::uint64_t number) {
      const auto mark = marks_[number];
      return mark.is_ours && !mark.reason;
    };
    const auto numbers = std::views::iota(std::uint64_t{0}, std::uint64_t{marks_.size()});
    const auto left = static_cast<std::uint64_t>(std::ranges::count_if(numbers, is_left));
    std::vector<std::pair<float, std::uint64_t>> scores;  // with the numbers of their pairs
    each_block(open_, TellPlaces::kNo, [&](std::span<NumberedTextPair> block) {
      std::vector<SentencePair> pairs;
      std::vector<std::uint64_t> of_pairs;
      for (auto& read : block) {
        if (is_left(read.number)) {
          mend(read);
          pairs.push_back(std::move(read.pair));
          of_pairs.push_back(read.number);
        }
      }
      const auto of_block = options_.worst.score(pairs, left);
      for (std::size_t i = 0; i < of_pairs.size(); ++i) {
        scores.emplace_back(of_block[i], of_pairs[i]);
      }
    });
    const auto worst = std::lround(options_.worst.share * static_cast<double>(scores.size()));
    std::ranges::nth_element(scores, scores.begin() + worst);
    for (const auto& [score, number] : std::span(scores).first(static_cast<std::size_t>(worst))) {
      auto mark = marks_[number];
      mark.reason = DropReason::kWorst;
      marks_.set(number, mark);
    }
  }

  /// Hands out the pairs that are kept, and writes the others to the table.
  CleaningCounts hand_out(const std::function<void(const SentencePair& pair)>& keep) {
    std::optional<TextFileWriter> left_out;
    if (!options_.left_out.empty()) {
      left_out.emplace(options_.left_out);
      left_out->write("reason\tplace\tsource\ttarget");
    }
    each_block(open_, left_out ? TellPlaces::kYes : TellPlaces::kNo, [&](std::span<NumberedTextPair> block) {
      each_in_block(block, [this](NumberedTextPair& read) { mend(read); });
      for (const auto& [pair, place, number] : block) {
        const auto mark = marks_[number];
        if (!mark.is_ours) {
          continue;
        }
        count(mark);
        if (!mark.reason) {
          keep(pair);
        } else if (left_out) {
          left_out->write(fmt::format("{}\t{}\t{}\t{}", reason_text(*mark.reason), place, pair.source, pair.target));
        }
      }
    });
    if (left_out) {
      left_out->finish();
    }
    return counts_;
  }

 private:
  /// What the first reading tells of a pair.
  struct FirstLook {
    PairMark mark = {};
    std::uint64_t key = 0;     ///< PairCleaning::key_of
    std::uint64_t target = 0;  ///< FrequentTargets::key_of
    PairWords words = {};      ///< if it may be sampled
  };

  [[nodiscard]] bool looks_at_words() const {
    return cleaning_.looks_for(DropReason::kMismatched) || cleaning_.looks_for(DropReason::kCut);
  }

  void look_at(std::span<NumberedTextPair> block) {
    std::vector<FirstLook> looks(block.size());
    const auto first = block.front().number;
    each_in_block(block, [&](NumberedTextPair& read) {
      auto& look = looks[read.number - first];
      const auto& [number, of] = options_.shard;
      look.mark.is_ours = of == 1 || hash_of_words(read.pair.source) % of == number;
      if (!look.mark.is_ours) {
        return;
      }
      const auto verdict = cleaning_.look_at(read.pair);
      look.mark = {.is_decoded = verdict.is_decoded, .is_swapped = verdict.is_swapped, .reason = verdict.reason};
      if (!verdict.reason) {
        look.key = PairCleaning::key_of(read.pair);
        look.target = FrequentTargets::key_of(read.pair);
        if (looks_at_words() && sample_.takes(look.key)) {
          look.words = words_of(with_half(read.pair, look.key), look.key);
        }
      }
    });
    for (auto& [mark, key, target, words] : looks) {
      if (mark.is_ours && !mark.reason) {
        if (cleaning_.is_repeated(key)) {
          mark.reason = DropReason::kRepeated;
        } else {
          targets_.count(target);
          sample_.add(words);
        }
      }
      marks_.add(mark);
    }
  }

  void look_again(std::span<NumberedTextPair> block, const std::optional<LexicalCleaning>& words,
                  bool looks_at_targets) {
    std::vector<LexicalVerdict> verdicts(block.size());
    if (words) {
      look_at_words(block, *words, verdicts);
    }
    if (!looks_at_targets) {
      return;
    }
    const auto first = block.front().number;
    for (const auto& read : block) {
      if (const auto mark = marks_[read.number]; mark.is_ours && !mark.reason) {
        targets_.add(FrequentTargets::key_of(read.pair), read.number, verdicts[read.number - first].score);
      }
    }
  }

  /// Looks at the words of a block's pairs, and of their neighbours, unless these are of another block.
  void look_at_words(std::span<NumberedTextPair> block, const LexicalCleaning& cleaning,
                     std::vector<LexicalVerdict>& verdicts) {
    const auto first = block.front().number;
    std::vector<PairWords> words(block.size());
    each_in_block(block, [&](NumberedTextPair& read) {
      if (const auto mark = marks_[read.number]; mark.is_ours) {
        mend(read);
        words[read.number - first] = words_of(read.pair);
      }
    });
    const PairWords none;
    each_in_block(block, [&](NumberedTextPair& read) {
      auto mark = marks_[read.number];
      if (!mark.is_ours || mark.reason) {
        return;
      }
      const auto place = read.number - first;
      auto& verdict = verdicts[place];
      verdict = cleaning.look_at(words[place]);
      if (!verdict.reason && cleaning.is_shifted(place > 0 ? words[place - 1] : none, words[place],
                                                 place + 1 < words.size() ? words[place + 1] : none, verdict.score)) {
        verdict.reason = DropReason::kMismatched;
      }
      mark.reason = verdict.reason;
      marks_.set(read.number, mark);
    });
  }

  /// Mends a pair again that the first reading has mended.
  void mend(NumberedTextPair& read) const {
    if (const auto mark = marks_[read.number]; mark.is_decoded || mark.is_swapped) {
      static_cast<void>(cleaning_.look_at(read.pair));
    }
  }

  void count(const PairMark& mark) {
    ++counts_.read;
    if (mark.reason) {
      ++counts_.dropped[static_cast<std::size_t>(*mark.reason)];
      return;
    }
    ++counts_.kept;
    counts_.decoded += mark.is_decoded ? 1 : 0;
    counts_.swapped += mark.is_swapped ? 1 : 0;
  }

  const OpenPairs& open_;
  const CleaningOptions& options_;
  PairCleaning cleaning_;
  PairMarks marks_;
  PairSample sample_;
  FrequentTargets targets_{kMostSources};
  CleaningCounts counts_;
};

}  // namespace

CleaningCounts clean_pairs(const OpenPairs& open, const CleaningOptions& options,
                           const std::function<void(const SentencePair& pair)>& keep) {
  TextCleaner cleaner(open, options);
  cleaner.read_first();
  cleaner.read_again();
  cleaner.read_scores();
  return cleaner.hand_out(keep);
}

}  // namespace translate

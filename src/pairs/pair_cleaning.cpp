#include "pairs/pair_cleaning.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/random_numbers.h"
#include "core/utf8.h"
#include "pairs/copied_names.h"
#include "pairs/encoding_signs.h"
#include "pairs/near_duplicate_index.h"
#include "segments/characters.h"

namespace translate {

namespace {

constexpr std::size_t kMostCharacters = 1000;
constexpr double kWidth = 0.01;  // of a bin
constexpr double kLargest = 4.0;

std::size_t characters_of(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation_byte));
}

/// Whether at least a quarter of the characters that are not white space are letters.
bool has_words(std::string_view text) {
  std::size_t letters = 0;
  std::size_t others = 0;
  for (const char32_t c : decode_utf8(text)) {
    if (is_letter(c) || u_charType(static_cast<UChar32>(c)) == U_NON_SPACING_MARK) {
      ++letters;
    } else if (u_isUWhiteSpace(static_cast<UChar32>(c)) == 0) {
      ++others;
    }
  }
  return letters > 0 && letters * 3 >= others;
}

struct ReasonText {
  std::string_view name;
  std::string_view text;
};

const ReasonText& text_of(DropReason reason) {
  static constexpr std::array<ReasonText, kDropReasons> kTexts = {{
      {"blank", "a side is blank"},
      {"control", "a side has control characters"},
      {"encoding", "a side was read in a wrong encoding"},
      {"long", "a side has more than 1,000 characters"},
      {"letters", "a side has hardly any letters"},
      {"same", "both sides are the same"},
      {"html", "a side has tags or character references of HTML"},
      {"script", "a side is in another script"},
      {"language", "a side is in another language"},
      {"lengths", "the lengths of the sides do not fit"},
      {"addresses", "the sides have different URLs or e-mail addresses"},
      {"numbers", "the sides have different numbers"},
      {"repeated", "the pair was there before"},
      {"words", "the words of the sides do not match"},
      {"cut", "a side is cut: the beginning or the end is missing"},
      {"target", "ten other sources have the same target"},
      {"worst", "among the worst by its score"},
  }};
  return kTexts[static_cast<std::size_t>(reason)];
}

}  // namespace

std::string_view reason_text(DropReason reason) { return text_of(reason).text; }

std::string_view reason_name(DropReason reason) { return text_of(reason).name; }

/// Five more characters on each side make little of the difference between short texts.
double LengthRatios::log_ratio(std::size_t source_characters, std::size_t target_characters) {
  constexpr double kMore = 5.0;
  return std::log((static_cast<double>(target_characters) + kMore) / (static_cast<double>(source_characters) + kMore));
}

void LengthRatios::add(const SentencePair& pair) {
  const double ratio = log_ratio(characters_of(pair.source), characters_of(pair.target));
  const auto place = std::lround((std::clamp(ratio, -kLargest, kLargest) + kLargest) / kWidth);
  ++counts_[static_cast<std::size_t>(place)];
  ++all_;
}

std::size_t LengthRatios::median_bin() const {
  std::uint64_t below = 0;
  std::size_t median = 0;
  while ((below += counts_[median]) * 2 < all_) {
    ++median;
  }
  return median;
}

double LengthRatios::usual() const { return all_ == 0 ? 0.0 : static_cast<double>(median_bin()) * kWidth - kLargest; }

bool LengthRatios::is_far(double log_ratio) const {
  constexpr std::uint64_t kFewest = 100;  // pairs to learn from
  constexpr double kMostDeviations = 6.0;
  constexpr double kNormal = 1.4826;  // a normal distribution's deviation in median absolute deviations
  if (all_ < kFewest) {
    return false;
  }
  const auto median = median_bin();
  std::size_t radius = 0;
  std::uint64_t within = counts_[median];
  while (within * 2 < all_) {
    ++radius;
    within +=
        (median >= radius ? counts_[median - radius] : 0) + (median + radius < kBins ? counts_[median + radius] : 0);
  }
  const auto deviation = std::max(1.0, static_cast<double>(radius)) * kWidth * kNormal;
  return std::abs(log_ratio - usual()) > std::max(std::log(2.0), kMostDeviations * deviation);
}

bool LengthRatios::is_uneven(const SentencePair& pair) const {
  return is_far(log_ratio(characters_of(pair.source), characters_of(pair.target)));
}

void UsualPairs::add(const SentencePair& pair) {
  lengths.add(pair);
  source.add(pair.source);
  target.add(pair.target);
}

namespace {

/// Mends the sides that were read in a wrong encoding. Returns false if one cannot be mended.
bool decode_misread(SentencePair& pair, bool& is_decoded) {
  for (auto* side : {&pair.source, &pair.target}) {
    if (!looks_read_as_latin(*side)) {
      continue;
    }
    auto mended = read_as_utf8(*side);
    if (!mended) {
      return false;
    }
    *side = *std::move(mended);
    is_decoded = true;
  }
  return true;
}

void decode_references(SentencePair& pair, bool& is_decoded) {
  for (auto* side : {&pair.source, &pair.target}) {
    if (side->find('&') == std::string::npos) {
      continue;
    }
    if (auto decoded = with_usual_references_decoded(*side); decoded != *side) {
      *side = std::move(decoded);
      is_decoded = true;
    }
  }
}

bool are_same(const std::string& one, const std::string& other) {
  return one == other || (one.size() == other.size() && ascii_lower(one) == ascii_lower(other));
}

}  // namespace

std::optional<DropReason> PairCleaning::reason_to_drop(SentencePair& pair, PairVerdict& verdict) const {
  const auto drops = [&](DropReason reason, auto holds) { return looks_for(reason) && holds(); };
  const auto either = [&](auto holds) { return [&pair, holds] { return holds(pair.source) || holds(pair.target); }; };
  if (either(is_blank)()) {
    return DropReason::kBlank;
  }
  if (drops(DropReason::kMisread, [&] { return !decode_misread(pair, verdict.is_decoded); })) {
    return DropReason::kMisread;
  }
  if (drops(DropReason::kControl, either(has_control_characters))) {
    return DropReason::kControl;
  }
  if (drops(DropReason::kTooLong,
            either([](std::string_view text) { return characters_of(text) > kMostCharacters; }))) {
    return DropReason::kTooLong;
  }
  if (drops(DropReason::kNoWords, either([](std::string_view text) { return !has_words(text); }))) {
    return DropReason::kNoWords;
  }
  if (drops(DropReason::kSame, [&] { return are_same(pair.source, pair.target); })) {
    return DropReason::kSame;
  }
  if (looks_for(DropReason::kMarkup)) {
    decode_references(pair, verdict.is_decoded);
    if (either(has_markup)()) {
      return DropReason::kMarkup;
    }
  }
  const bool looks_at_languages = languages_ && looks_for(DropReason::kOtherLanguage);
  const auto languages = looks_at_languages ? languages_(pair) : SideLanguages::kRight;
  if (languages == SideLanguages::kSwapped) {
    std::swap(pair.source, pair.target);
    verdict.is_swapped = true;
  }
  if (drops(DropReason::kOtherScript,
            [&] { return usual_.source.is_other(pair.source) || usual_.target.is_other(pair.target); })) {
    return DropReason::kOtherScript;
  }
  if (languages == SideLanguages::kOther) {
    return DropReason::kOtherLanguage;
  }
  if (drops(DropReason::kUnevenLengths, [&] { return usual_.lengths.is_uneven(pair); })) {
    return DropReason::kUnevenLengths;
  }
  if (drops(DropReason::kAddresses, [&] { return have_different_addresses(pair); })) {
    return DropReason::kAddresses;
  }
  return drops(DropReason::kNumbers, [&] { return have_different_numbers(pair); }) ? std::optional(DropReason::kNumbers)
                                                                                   : std::nullopt;
}

PairVerdict PairCleaning::look_at(SentencePair& pair) const {
  PairVerdict verdict;
  verdict.reason = reason_to_drop(pair, verdict);
  return verdict;
}

std::uint64_t PairCleaning::key_of(const SentencePair& pair) {
  return mix_seeds({hash_of_words(pair.source), hash_of_words(pair.target)});
}

bool PairCleaning::is_repeated(std::uint64_t key) { return looks_for(DropReason::kRepeated) && !seen_.insert(key); }

}  // namespace translate

#include "pairs/pair_cleaning.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/random_numbers.h"
#include "core/utf8.h"
#include "pairs/encoding_signs.h"
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

}  // namespace

std::string_view reason_text(DropReason reason) {
  switch (reason) {
    case DropReason::kBlank:
      return "a side is blank";
    case DropReason::kControl:
      return "a side has control characters";
    case DropReason::kMisread:
      return "a side was read in a wrong encoding";
    case DropReason::kTooLong:
      return "a side has more than 1,000 characters";
    case DropReason::kNoWords:
      return "a side has hardly any letters";
    case DropReason::kSame:
      return "both sides are the same";
    case DropReason::kUnevenLengths:
      return "the lengths of the sides do not fit";
    case DropReason::kRepeated:
      return "the pair was there before";
  }
  return "";
}

/// Five more characters on each side make little of the difference between short texts.
double LengthRatios::log_ratio(const SentencePair& pair) {
  constexpr double kMore = 5.0;
  return std::log((static_cast<double>(characters_of(pair.target)) + kMore) /
                  (static_cast<double>(characters_of(pair.source)) + kMore));
}

void LengthRatios::add(const SentencePair& pair) {
  const auto place = std::lround((std::clamp(log_ratio(pair), -kLargest, kLargest) + kLargest) / kWidth);
  ++counts_[static_cast<std::size_t>(place)];
  ++all_;
}

bool LengthRatios::is_uneven(const SentencePair& pair) const {
  constexpr std::uint64_t kFewest = 100;  // pairs to learn from
  constexpr double kMostDeviations = 6.0;
  constexpr double kNormal = 1.4826;  // a normal distribution's deviation in median absolute deviations
  if (all_ < kFewest) {
    return false;
  }
  std::uint64_t below = 0;
  std::size_t median = 0;
  while ((below += counts_[median]) * 2 < all_) {
    ++median;
  }
  std::size_t radius = 0;
  std::uint64_t within = counts_[median];
  while (within * 2 < all_) {
    ++radius;
    within +=
        (median >= radius ? counts_[median - radius] : 0) + (median + radius < kBins ? counts_[median + radius] : 0);
  }
  const auto usual = static_cast<double>(median) * kWidth - kLargest;
  const auto deviation = std::max(1.0, static_cast<double>(radius)) * kWidth * kNormal;
  return std::abs(log_ratio(pair) - usual) > std::max(std::log(2.0), kMostDeviations * deviation);
}

std::optional<DropReason> PairCleaning::judge(const SentencePair& pair) {
  const auto either = [&](auto holds) { return holds(pair.source) || holds(pair.target); };
  if (either(is_blank)) {
    return DropReason::kBlank;
  }
  if (either(has_control_characters)) {
    return DropReason::kControl;
  }
  if (either(looks_read_as_latin)) {
    return DropReason::kMisread;
  }
  if (either([](std::string_view text) { return characters_of(text) > kMostCharacters; })) {
    return DropReason::kTooLong;
  }
  if (!has_words(pair.source) || !has_words(pair.target)) {
    return DropReason::kNoWords;
  }
  if (pair.source == pair.target) {
    return DropReason::kSame;
  }
  if (lengths_.is_uneven(pair)) {
    return DropReason::kUnevenLengths;
  }
  const std::hash<std::string_view> hash;
  if (!seen_.insert(mix_seeds({hash(pair.source), hash(pair.target)}))) {
    return DropReason::kRepeated;
  }
  return std::nullopt;
}

}  // namespace translate

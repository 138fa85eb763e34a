#include "data/round_trip.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "core/utf8.h"
#include "corpora/each_pair.h"
#include "text/normalization.h"

namespace translate::trainer {

namespace {

std::u32string without_spaces(std::string_view text) {
  auto characters = decode_utf8(text);
  std::erase(characters, U' ');
  return characters;
}

}  // namespace

RoundTrip round_trip(const Tokenizer& target, std::string_view text) {
  const auto before = without_spaces(text);
  const auto after = without_spaces(target.decode(target.encode(text)));
  RoundTrip result{.survives = before == after, .lost = {}};
  if (result.survives || target.is_word_level()) {
    return result;
  }
  std::map<char32_t, std::int64_t> missing;
  for (const char32_t character : before) {
    ++missing[character];
  }
  for (const char32_t character : after) {
    --missing[character];
  }
  for (const auto& [character, count] : missing) {
    for (auto i = count; i > 0; --i) {
      result.lost.push_back(encode_utf8({&character, 1}));
    }
  }
  return result;
}

void TextCounts::add(std::span<const std::string> texts) {
  for (const auto& text : texts) {
    if (counts_.size() < most_ || counts_.contains(text)) {
      ++counts_[text];
    }
  }
}

std::vector<std::pair<std::string, std::uint64_t>> TextCounts::most_frequent(std::size_t limit) const {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts_.begin(), counts_.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return std::pair(b.second, std::string_view(a.first)) < std::pair(a.second, std::string_view(b.first));
  });
  sorted.resize(std::min(sorted.size(), limit));
  return sorted;
}

RoundTripLosses round_trip_losses(std::span<const CorpusFiles> files, const Tokenizer& target,
                                  std::int64_t max_length) {
  constexpr std::size_t kMostCounted = std::size_t{1} << 20U;
  constexpr std::size_t kMostShown = 10;
  const auto is_examined = [&](const TextPair& pair) {
    return !is_blank(pair.target) && !first_invalid_utf8(pair.target) && pair.target.size() <= most_bytes(max_length);
  };
  const auto look = [&](const TextPair& pair) {
    return is_examined(pair) ? round_trip(target, pair.target) : RoundTrip();
  };
  RoundTripLosses losses;
  TextCounts lost(kMostCounted);
  for_each_pair(files, look, [&](const TextPair& pair, const RoundTrip& found) {
    losses.targets += is_examined(pair) ? 1 : 0;
    losses.changed += found.survives ? 0 : 1;
    lost.add(found.lost);
  });
  losses.lost = lost.most_frequent(kMostShown);
  return losses;
}

std::string describe_character(std::string_view character) {
  const auto code = decode_utf8(character).front();
  const bool is_invisible =
      is_default_ignorable(code) || is_unicode_space(code) || code < 0x20 || (code >= 0x7F && code <= 0x9F);
  return fmt::format("{}{}U+{:04X}", is_invisible ? "" : character, is_invisible ? "" : " ",
                     static_cast<std::uint32_t>(code));
}

}  // namespace translate::trainer

#include "pairs/pair_sample.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "segments/seen_words.h"

namespace translate {

namespace {

std::vector<std::int32_t> ids_of(std::string_view text) {
  constexpr unsigned kOtherBits = 33;
  const auto hashes = word_or_character_hashes(text);
  std::vector<std::int32_t> ids(hashes.size());
  std::ranges::transform(hashes, ids.begin(), [](auto hash) { return static_cast<std::int32_t>(hash >> kOtherBits); });
  return ids;
}

std::uint32_t characters_in(std::string_view text) {
  return static_cast<std::uint32_t>(text.size() -
                                    static_cast<std::size_t>(std::ranges::count_if(text, is_continuation_byte)));
}

}  // namespace

PairWords words_of(const SentencePair& pair, std::uint64_t key) {
  return {.source = ids_of(pair.source),
          .target = ids_of(pair.target),
          .source_characters = characters_in(pair.source),
          .target_characters = characters_in(pair.target),
          .key = key};
}

PairView view_of(const PairWords& pair) {
  return {.source = pair.source,
          .target = pair.target,
          .source_characters = pair.source_characters,
          .target_characters = pair.target_characters,
          .key = pair.key};
}

void PairSample::add(const PairWords& pair) {
  constexpr std::size_t kMostWords = 150;
  if (!takes(pair.key) || pair.source.empty() || pair.target.empty() ||
      std::max(pair.source.size(), pair.target.size()) > kMostWords) {
    return;
  }
  append(view_of(pair));
  while (size() > most_ || (size() > 1 && sources_.all().size() + targets_.all().size() > most_words_)) {
    halve();
  }
}

PairView PairSample::operator[](std::size_t pair) const {
  return {.source = sources_[pair],
          .target = targets_[pair],
          .source_characters = rest_[pair].source_characters,
          .target_characters = rest_[pair].target_characters,
          .key = rest_[pair].key};
}

void PairSample::append(const PairView& pair) {
  sources_.add(pair.source);
  targets_.add(pair.target);
  rest_.push_back(
      {.key = pair.key, .source_characters = pair.source_characters, .target_characters = pair.target_characters});
}

void PairSample::halve() {
  PairSample half(most_, most_words_);
  half.limit_ = limit_ / 2;
  for (std::size_t i = 0; i < size(); ++i) {
    if (const auto pair = (*this)[i]; half.takes(pair.key)) {
      half.append(pair);
    }
  }
  *this = std::move(half);
}

}  // namespace translate

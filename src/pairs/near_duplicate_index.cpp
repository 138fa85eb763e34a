#include "pairs/near_duplicate_index.h"

#include <functional>
#include <vector>

#include "core/random_numbers.h"
#include "segments/seen_words.h"

namespace translate {

namespace {

constexpr std::size_t kFewestWords = 4;  // of texts that may differ in one of them

/// The hashes of a text and of all that differs from it in one word.
struct TextHashes {
  std::uint64_t text = 0;
  std::vector<std::uint64_t> shortened;  ///< without one of the words
  std::vector<std::uint64_t> patterns;   ///< with any word in the place of one
};

/// A text of words w(i) is the polynomial of the sum of w(i) B^i modulo 2^64, from which that without a word, or with
/// another one, follows in constant time.
TextHashes hashes_of(std::string_view text) {
  constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15U;  // odd, so that it has an inverse
  constexpr std::uint64_t kInverse = [] {
    std::uint64_t inverse = kBase;  // right to 3 bits; each step of Newton's doubles them
    for (int i = 0; i < 5; ++i) {
      inverse *= 2 - kBase * inverse;
    }
    return inverse;
  }();
  static_assert(kBase * kInverse == 1);
  constexpr std::uint64_t kAnyWord = 0xC2B2AE3D27D4EB4FU;
  const auto words = word_hashes(text);
  TextHashes hashes;
  if (words.empty()) {
    hashes.text = std::hash<std::string_view>()(text);
    return hashes;
  }
  std::uint64_t whole = 0;
  std::uint64_t power = 1;
  for (const auto word : words) {
    whole += word * power;
    power *= kBase;
  }
  hashes.text = mix_seeds({whole, words.size()});
  std::uint64_t before = 0;
  power = 1;
  for (const auto word : words) {
    if (words.size() > kFewestWords) {
      hashes.shortened.push_back(mix_seeds({before + (whole - before - word * power) * kInverse, words.size() - 1}));
    }
    if (words.size() >= kFewestWords) {
      hashes.patterns.push_back(mix_seeds({whole + (kAnyWord - word) * power, words.size(), power}));
    }
    before += word * power;
    power *= kBase;
  }
  return hashes;
}

std::optional<std::size_t> find_in(const std::unordered_map<std::uint64_t, std::size_t>& numbers, std::uint64_t hash) {
  const auto found = numbers.find(hash);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::uint64_t hash_of_words(std::string_view text) {
  const auto words = word_hashes(text);
  if (words.empty()) {
    return std::hash<std::string_view>()(text);
  }
  std::uint64_t hash = words.size();
  for (const auto word : words) {
    hash = mix_seeds({hash, word});
  }
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      hash = mix_seeds({hash, static_cast<std::uint64_t>(c)});
    }
  }
  return hash;
}

void NearDuplicateIndex::add(std::string_view text, std::size_t number) {
  const auto hashes = hashes_of(text);
  texts_.emplace(hashes.text, number);
  for (const auto hash : hashes.shortened) {
    shortened_.emplace(hash, number);
  }
  for (const auto hash : hashes.patterns) {
    patterns_.emplace(hash, number);
  }
}

std::optional<std::size_t> NearDuplicateIndex::find(std::string_view text) const {
  const auto hashes = hashes_of(text);
  if (auto found = find_in(texts_, hashes.text)) {
    return found;
  }
  if (auto found = find_in(shortened_, hashes.text)) {  // one word of the other is missing here
    return found;
  }
  for (const auto hash : hashes.shortened) {  // one word of this one is missing there
    if (auto found = find_in(texts_, hash)) {
      return found;
    }
  }
  for (const auto hash : hashes.patterns) {
    if (auto found = find_in(patterns_, hash)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace translate

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random_numbers.h"
#include "pairs/pair_source.h"

namespace translate::testing {

/// A word of letters for a number.
inline std::string word_for(const std::string& beginning, std::uint64_t number) {
  std::string word = beginning;
  do {
    word += static_cast<char>('a' + number % 26);
    number /= 26;
  } while (number > 0);
  return word;
}

/// Sentences of 6 to 15 words out of 500, the first ones the most frequent, and their translations word by word, in
/// which one word of ten is another one. The same for the same number.
inline SentencePair word_pair(std::uint64_t number) {
  constexpr std::uint64_t kWords = 500;
  const auto draw = [&](std::uint64_t what, std::uint64_t below) { return mix_seeds({number, what}) % below; };
  const auto words = 6 + draw(0, 10);
  SentencePair pair;
  for (std::uint64_t i = 0; i < words; ++i) {
    const auto word = draw(3 * i + 1, 1 + draw(3 * i + 2, kWords));
    const auto translation = draw(3 * i + 3, 10) == 0 ? draw(i + 100, kWords) : word;
    pair.source += word_for(i == 0 ? "s" : " s", word);
    pair.target += word_for(i == 0 ? "t" : " t", translation);
  }
  return pair;
}

inline std::vector<SentencePair> word_pairs(std::size_t count) {
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back(word_pair(i));
  }
  return pairs;
}

/// The first half of a text's words.
inline std::string first_half(const std::string& text) {
  const auto words = static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1;
  std::size_t end = 0;
  for (std::size_t i = 0; i < words / 2; ++i) {
    end = text.find(' ', end + 1);
  }
  return text.substr(0, end);
}

/// Pairs in memory as a source.
class ListedPairs final : public PairSource {
 public:
  explicit ListedPairs(const std::vector<SentencePair>& pairs) : pairs_(pairs) {}

  bool next(SentencePair& pair) override {
    if (at_ == pairs_.size()) {
      return false;
    }
    pair = pairs_[at_++];
    return true;
  }

  [[nodiscard]] std::string place() const override { return "list:" + std::to_string(at_); }

 private:
  const std::vector<SentencePair>& pairs_;
  std::size_t at_ = 0;
};

/// Opens pairs in memory, which must outlive the result.
inline OpenPairs opener_of_list(const std::vector<SentencePair>& pairs) {
  return [&pairs] {
    std::vector<std::unique_ptr<PairSource>> sources;
    sources.push_back(std::make_unique<ListedPairs>(pairs));
    return sources;
  };
}

}  // namespace translate::testing

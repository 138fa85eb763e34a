#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// Sentences of numbers, one behind the other in memory: 4 bytes for each number and 8 for each sentence.
template <typename Number>
class NumberSentences {
 public:
  void add(std::span<const Number> sentence) {
    numbers_.insert(numbers_.end(), sentence.begin(), sentence.end());
    ends_.push_back(numbers_.size());
  }

  [[nodiscard]] std::size_t size() const { return ends_.size() - 1; }
  [[nodiscard]] std::span<const Number> operator[](std::size_t sentence) const {
    return std::span(numbers_).subspan(ends_[sentence], ends_[sentence + 1] - ends_[sentence]);
  }
  /// All sentences in one.
  [[nodiscard]] std::span<const Number> all() const { return numbers_; }

 private:
  std::vector<Number> numbers_;
  std::vector<std::size_t> ends_ = {0};
};

/// Sentences as numbers of words (WordIndex), and as the ids that a caller gives.
using NumberedText = NumberSentences<std::uint32_t>;
using IdText = NumberSentences<std::int32_t>;

}  // namespace translate

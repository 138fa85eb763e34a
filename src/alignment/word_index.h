#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

namespace translate {

/// Numbers the different words of one side, from 0, the most frequent first, so that what is used most lies together
/// in memory. Words of one frequency are in the order of their ids.
class WordIndex {
 public:
  /// The number of every word that the index does not have.
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  WordIndex() = default;
  /// The index of the words of a text, given by their ids.
  explicit WordIndex(std::span<const std::int32_t> text);

  /// The number of a word, or kUnknown.
  [[nodiscard]] std::uint32_t number_of(std::int32_t id) const;

  /// The id of each number.
  [[nodiscard]] std::vector<std::int32_t> ids() const;

  /// The number of different words.
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::int32_t, std::uint32_t> numbers_;
};

}  // namespace translate

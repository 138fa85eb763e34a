#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace translate {

/// The logits of a step for one row: those of all target subwords, or of the ones that a shortlist leaves.
struct SubwordLogits {
  SubwordLogits() = default;
  /// `listed`: the subword of each logit, rising; empty: logit i is that of subword i.
  SubwordLogits(std::span<float> logits, std::span<const std::int64_t> listed = {})
      : values(logits), subwords(listed) {}

  /// The subword of the logit at a place.
  [[nodiscard]] std::int64_t subword(std::size_t place) const {
    return subwords.empty() ? static_cast<std::int64_t>(place) : subwords[place];
  }

  /// The logit of a subword; null if it is not on the list.
  [[nodiscard]] float* find(std::int64_t subword) const {
    if (subwords.empty()) {
      return &values[static_cast<std::size_t>(subword)];
    }
    const auto place = std::ranges::lower_bound(subwords, subword);
    return place == subwords.end() || *place != subword ? nullptr
                                                        : &values[static_cast<std::size_t>(place - subwords.begin())];
  }

  /// The same without what is not on `list`, which rises. Moves the values of the others to the front.
  [[nodiscard]] SubwordLogits listed(std::span<const std::int64_t> list) const {
    if (list.empty()) {
      return *this;
    }
    for (std::size_t place = 0; place < list.size(); ++place) {
      values[place] = values[static_cast<std::size_t>(list[place])];
    }
    return {values.first(list.size()), list};
  }

  std::span<float> values;                   ///< the reader may change them
  std::span<const std::int64_t> subwords{};  ///< see the constructor
};

}  // namespace translate

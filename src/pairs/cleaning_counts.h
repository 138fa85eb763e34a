#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pairs/pair_cleaning.h"

namespace translate {

/// What became of the pairs of a text.
struct CleaningCounts {
  std::uint64_t read = 0;
  std::uint64_t kept = 0;
  std::uint64_t decoded = 0;  ///< kept, with an encoding or character references that were mended
  std::uint64_t swapped = 0;  ///< kept, with their sides exchanged
  std::array<std::uint64_t, kDropReasons> dropped = {};  ///< by their reasons
  bool has_too_few_words = false;  ///< too few pairs to learn which words match: no pair was left out for its words

  bool operator==(const CleaningCounts&) const = default;

  /// The counts in sentences, a line for each reason.
  [[nodiscard]] std::vector<std::string> describe() const;
};

}  // namespace translate

#include "pairs/cleaning_counts.h"

#include <fmt/format.h>

#include <cstddef>
#include <numeric>

#include "core/counted.h"
#include "pairs/lexical_cleaning.h"

namespace translate {

std::vector<std::string> CleaningCounts::describe() const {
  std::vector<std::string> lines;
  const auto all = std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0});
  lines.push_back(fmt::format("{} read, {} left out{}", counted(read, "pair"), all, all == 0 ? "" : ":"));
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i] > 0) {
      lines.push_back(fmt::format("  {:>8} {}", dropped[i], reason_text(static_cast<DropReason>(i))));
    }
  }
  if (has_too_few_words) {
    lines.push_back(fmt::format(
        "too few pairs to learn which words belong together, which takes {}: whether the words match was not checked",
        LexicalCleaning::kFewestPairs));
  }
  if (decoded > 0) {
    lines.push_back(fmt::format("{} with a wrong encoding or character references, mended", counted(decoded, "pair")));
  }
  if (swapped > 0) {
    lines.push_back(fmt::format("{} with the sides in each other's place, exchanged", counted(swapped, "pair")));
  }
  return lines;
}

}  // namespace translate

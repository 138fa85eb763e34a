#include "segments/repetition.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace translate {

namespace {

using Ids = std::span<const std::int64_t>;

constexpr std::size_t kLongestRun = 8;
constexpr std::size_t kRunLength = 4;

/// Returns how often a run of `length` subwords stands in a row at most.
std::size_t times_in_a_row(Ids ids, std::size_t length) {
  std::size_t most = ids.size() < length ? 0 : 1;
  std::size_t equal = 0;  // subwords in a row that equal the one `length` before them
  for (std::size_t i = length; i < ids.size(); ++i) {
    equal = ids[i] == ids[i - length] ? equal + 1 : 0;
    most = std::max(most, equal / length + 1);
  }
  return most;
}

/// Returns how often the most frequent run of kRunLength subwords occurs.
std::size_t most_frequent_run(Ids ids) {
  std::map<std::array<std::int64_t, kRunLength>, std::size_t> counts;
  std::size_t most = 0;
  for (std::size_t i = 0; i + kRunLength <= ids.size(); ++i) {
    std::array<std::int64_t, kRunLength> run{};
    std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(i), kRunLength, run.begin());
    most = std::max(most, ++counts[run]);
  }
  return most;
}

}  // namespace

bool has_loop(Ids generated, Ids source) {
  constexpr std::size_t kFewest = 3 * kRunLength;  // a shorter text holds no loop worth a second search
  constexpr std::size_t kTimes = 3;
  if (generated.size() < kTimes) {
    return false;
  }
  for (std::size_t length = 1; length <= kLongestRun; ++length) {
    const bool may_be_stressed = length == 1 && generated.size() <= kTimes * source.size();  // "very very very"
    const std::size_t allowed = may_be_stressed ? kTimes : kTimes - 1;
    const auto times = times_in_a_row(generated, length);
    if (times <= allowed) {
      continue;
    }
    std::size_t of_source = 0;
    for (std::size_t other = 1; other <= kLongestRun; ++other) {
      of_source = std::max(of_source, times_in_a_row(source, other));
    }
    return of_source < times;
  }
  return generated.size() >= kFewest && most_frequent_run(generated) >= kTimes && most_frequent_run(source) < kTimes;
}

}  // namespace translate

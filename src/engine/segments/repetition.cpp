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
constexpr std::size_t kTimes = 3;

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

/// Returns how often a run of up to kLongestRun subwords stands in a row at most.
std::size_t runs_in_a_row(Ids ids) {
  std::size_t most = 0;
  for (std::size_t length = 1; length <= kLongestRun; ++length) {
    most = std::max(most, times_in_a_row(ids, length));
  }
  return most;
}

}  // namespace

bool has_loop(Ids generated, Ids source) {
  constexpr std::size_t kFewest = 3 * kRunLength;  // a shorter text holds no loop worth a second search
  if (generated.size() < kTimes) {
    return false;
  }
  for (std::size_t length = 1; length <= kLongestRun; ++length) {
    const std::size_t allowed = length == 1 ? kTimes : kTimes - 1;
    if (const auto times = times_in_a_row(generated, length); times > allowed) {
      return runs_in_a_row(source) < times;
    }
  }
  return generated.size() >= kFewest && most_frequent_run(generated) >= kTimes && most_frequent_run(source) < kTimes;
}

bool repeats_subword(Ids generated, Ids source) {
  return generated.size() > kTimes * source.size() && times_in_a_row(generated, 1) >= kTimes &&
         runs_in_a_row(source) < kTimes;
}

}  // namespace translate

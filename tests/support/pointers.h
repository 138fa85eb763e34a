#pragma once

#include <vector>

namespace translate::testing {

/// The addresses of all elements of a range, in their order.
template <class Range>
auto pointers_to(Range&& range) {
  std::vector<decltype(&*range.begin())> pointers;
  for (auto& element : range) {
    pointers.push_back(&element);
  }
  return pointers;
}

}  // namespace translate::testing

#include "operators/padded_ids.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace translate::trainer {

at::Tensor padded_ids(std::span<const std::span<const std::int64_t>> rows, std::int64_t pad) {
  std::size_t longest = 0;
  for (const auto& row : rows) {
    longest = std::max(longest, row.size());
  }
  auto ids = at::full({std::ssize(rows), static_cast<std::int64_t>(longest)}, pad, at::kLong);
  auto* to = ids.mutable_data_ptr<std::int64_t>();
  for (const auto& row : rows) {
    std::ranges::copy(row, to);
    to += longest;
  }
  return ids;
}

}  // namespace translate::trainer

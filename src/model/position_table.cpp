#include "translate/model/position_table.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "translate/core/error.h"
#include "translate/model/positional_encoding.h"

namespace translate {

void reach_positions(at::Tensor& table, std::int64_t length, PositionKind kind) {
  if (length <= table.size(0)) {
    return;
  }
  if (kind == PositionKind::kLearned) {
    throw RuntimeError(
        fmt::format("a sequence of {} positions is longer than the model's table of learned positions "
                    "(model.max_positions = {})",
                    length, table.size(0)));
  }
  table = sinusoidal_positions(std::max(length, 2 * table.size(0)), table.size(1))[0].to(table.options());
}

}  // namespace translate

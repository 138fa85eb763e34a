#pragma once

#include <cstddef>

#include "data/batches/batch_share.h"
#include "processes/collectives/process_group.h"

namespace translate::trainer {

/// Returns the place of this process among those that divide the batches of a step or of a validation.
[[nodiscard]] inline ProcessShare process_share(const ProcessGroup& group) {
  return {.rank = static_cast<std::size_t>(group.rank()), .size = static_cast<std::size_t>(group.size())};
}

}  // namespace translate::trainer

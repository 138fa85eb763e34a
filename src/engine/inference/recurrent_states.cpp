#include "inference/recurrent_states.h"

#include <algorithm>
#include <utility>

namespace translate {

void RecurrentStates::add(std::int64_t count) {
  states_.resize(states_.size() + static_cast<std::size_t>(count) * row_, 0.0F);
}

void RecurrentStates::select(std::span<const std::int64_t> parents) {
  next_states_.resize(parents.size() * row_);
  auto to = next_states_.begin();
  for (const auto parent : parents) {
    to = std::copy_n(states_.begin() + parent * static_cast<std::int64_t>(row_), row_, to);
  }
  std::swap(states_, next_states_);
}

}  // namespace translate

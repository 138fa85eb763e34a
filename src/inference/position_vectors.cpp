#include "translate/inference/position_vectors.h"

#include <utility>
#include <vector>

#include "translate/model/position_table.h"

namespace translate {

PositionVectors::PositionVectors(std::int64_t width) : kind_(PositionKind::kSinusoidal), width_(width) {
  constexpr std::int64_t kUsual = 256;  // more than most sentences have: growing is for the others
  reach(kUsual);
}

PositionVectors::PositionVectors(std::shared_ptr<const float> table, std::int64_t count, std::int64_t width)
    : kind_(PositionKind::kLearned), width_(width), count_(count), table_(std::move(table)) {}

void PositionVectors::reach(std::int64_t length) {
  if (!exist()) {
    return;
  }
  if (const auto count = positions_to_hold(length, count_, kind_); count != count_) {
    const auto owner = std::make_shared<const std::vector<float>>(sinusoidal_table(count, width_));
    table_ = {owner, owner->data()};
    count_ = count;
  }
}

}  // namespace translate

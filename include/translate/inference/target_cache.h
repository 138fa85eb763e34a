#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// Keys and values of the target positions of many hypotheses, which share what they have in common: a tree, of which
/// each row is a path. Rows are continued, copied and dropped without moving keys or values.
class TargetCache {
 public:
  /// `position_size`: floats of keys and values of one position, all layers together.
  explicit TargetCache(std::int64_t position_size);

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

  /// Appends `count` rows without positions.
  void add(std::int64_t count);
  /// Every row gets one more position, whose keys and values are anything.
  void extend();
  /// Row i becomes a copy of what row parents[i] was. What no row needs any more is free for new positions.
  void select(std::span<const std::int64_t> parents);

  /// Positions of a row.
  [[nodiscard]] std::int64_t length(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)].length; }
  /// Their places, in order: places(row)[i] is that of position i.
  [[nodiscard]] const std::int32_t* places(std::int64_t row) const { return places_.data() + row * capacity_; }
  /// Keys and values of the place 0; the next place is stride() floats on. Valid until extend().
  [[nodiscard]] float* data() { return values_.data(); }
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// Where keys and values of a row's newest position go.
  [[nodiscard]] float* newest(std::int64_t row);

  /// Positions in use, those shared counted once.
  [[nodiscard]] std::int64_t positions_in_use() const {
    return static_cast<std::int64_t>(nodes_.size() - free_.size());
  }

 private:
  struct Row {
    std::int32_t last = kNone;  ///< its newest position
    std::int64_t length = 0;
  };
  struct Node {
    std::int32_t parent = kNone;
    std::int32_t users = 0;  ///< rows that end here and positions that follow
  };
  static constexpr std::int32_t kNone = -1;

  std::int32_t new_node(std::int32_t parent);
  void release(std::int32_t node);
  void reserve(std::int64_t capacity);

  std::int64_t stride_;
  std::vector<Row> rows_;
  std::vector<Row> next_rows_;
  std::int64_t capacity_ = 16;        // positions that places_ has room for in each row
  std::vector<std::int32_t> places_;  // (rows, capacity)
  std::vector<std::int32_t> next_places_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> free_;
  std::vector<float> values_;
};

}  // namespace translate

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory.h"
#include "inference/linear_weights.h"
#include "kernels/cached_attention.h"

namespace translate {

/// How keys and values are kept for as long as a sentence is decoded: one row for each position and layer, its key,
/// then its value, in single precision or, beside rounded weights, whose rounding is coarser, in 16 bits.
class KeyValueRows {
 public:
  KeyValueRows(std::int64_t d_model, WeightFormat weights)
      : d_model_(d_model), half_(weights != WeightFormat::kFloat) {}

  /// Memory of a row, in floats.
  [[nodiscard]] std::int64_t size() const { return half_ ? d_model_ : 2 * d_model_; }

  /// Keeps `count` rows, whose keys and values lie at `from` (2 d_model floats each, `stride` apart), at `to`.
  void keep(std::int64_t count, const float* from, std::int64_t stride, float* to) const;

  /// attend_to_cache of `query` over rows kept at `kept`: the `count` ones that `index` names, or the first ones where
  /// that is null.
  void attend(const HeadShape& shape, const float* query, const float* kept, const std::int32_t* index,
              std::int64_t count, float* weights, float* out) const;

 private:
  std::int64_t d_model_;
  bool half_;
};

/// Keys and values of the target positions of many hypotheses, which share what they have in common: a tree, of which
/// each row is a path. Rows are continued, copied and dropped without moving keys or values.
class TargetCache {
 public:
  /// `width`: floats of a position's key and value together in one of the `layers`.
  TargetCache(std::int64_t layers, std::int64_t width);

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
  /// Key and value of the place 0 in a layer; the next place is `width` floats on. Valid until extend().
  [[nodiscard]] float* data(std::size_t layer) { return values_[layer].span().data(); }
  /// Where key and value of a row's newest position go.
  [[nodiscard]] float* newest(std::size_t layer, std::int64_t row) {
    return data(layer) + rows_[static_cast<std::size_t>(row)].last * width_;
  }

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
  void widen_rows(std::int64_t capacity);
  void reserve_places(std::int64_t count);

  std::int64_t width_;
  std::vector<Row> rows_;
  std::vector<Row> next_rows_;
  std::int64_t capacity_ = 16;        // positions that places_ has room for in each row
  std::vector<std::int32_t> places_;  // (rows, capacity)
  std::vector<std::int32_t> next_places_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> free_;
  std::vector<PageBlock<float>> values_;  // of each layer: (places, width); they grow without being copied
  std::int64_t reserved_ = 0;             // places there is room for
};

}  // namespace translate

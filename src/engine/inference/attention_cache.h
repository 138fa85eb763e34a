#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/pages.h"
#include "inference/linear_weights.h"
#include "kernels/cached_attention.h"

namespace translate {

/// The layout of cached keys and values while a sentence is decoded: one row for each position and layer, the key, then
/// the value. They are kept in single precision or, beside rounded weights, whose rounding is coarser, in 16 bits.
class KeyValueRows {
 public:
  KeyValueRows(std::int64_t d_model, WeightFormat weights)
      : d_model_(d_model), half_(weights != WeightFormat::kFloat) {}

  /// Memory of a row, in floats.
  [[nodiscard]] std::int64_t size() const { return half_ ? d_model_ : 2 * d_model_; }

  /// Stores `count` rows at `to`, whose keys and values lie at `from` (2 d_model floats each, `stride` apart).
  void keep(std::int64_t count, const float* from, std::int64_t stride, float* to) const;

  /// Computes attend_to_cache of `query` over rows stored at `kept`: the `count` rows that `index` names, or the first
  /// `count` if `index` is null.
  void attend(const HeadShape& shape, const float* query, const float* kept, const std::int32_t* index,
              std::int64_t count, float* weights, float* out) const;

 private:
  std::int64_t d_model_;
  bool half_;
};

/// Keys and values of the target positions of many hypotheses. Hypotheses share their common positions: the positions
/// form a tree, and each row is a path in it. Rows are extended, copied and dropped without moving keys or values.
class TargetCache {
 public:
  /// `width`: floats of a position's key and value together in one of the `layers`.
  TargetCache(std::int64_t layers, std::int64_t width);

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

  /// Appends `count` rows without positions.
  void add(std::int64_t count);
  /// Adds one position to every row; its keys and values are undefined.
  void extend();
  /// Makes row i a copy of the former row parents[i]. Positions that no row uses any more are free for reuse.
  void select(std::span<const std::int64_t> parents);

  /// Positions of a row.
  [[nodiscard]] std::int64_t length(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)].length; }
  /// The places of the row's positions: places(row)[i] is that of position i.
  [[nodiscard]] const std::int32_t* places(std::int64_t row) const { return places_.data() + row * capacity_; }
  /// Key and value of place 0 in a layer; the next place follows after `width` floats. Valid until extend().
  [[nodiscard]] float* data(std::size_t layer) { return values_[layer].span().data(); }
  /// The place for the key and value of a row's newest position.
  [[nodiscard]] float* newest(std::size_t layer, std::int64_t row) {
    return data(layer) + rows_[static_cast<std::size_t>(row)].last * width_;
  }

  /// Positions in use; shared ones count once.
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
    std::int32_t users = 0;  ///< rows that end here and positions that follow this one
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
  std::int64_t reserved_ = 0;             // places that are allocated
};

}  // namespace translate

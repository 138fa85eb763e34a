#pragma once

#include <cstdint>

namespace translate {

/// Rows divided into tiles of at most some height, of much the same one: a tile of a row or two would take nearly as
/// long as a whole one.
class EvenTiles {
 public:
  EvenTiles(std::int64_t rows, std::int64_t height) : rows_(rows), count_((rows + height - 1) / height) {}

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// The first row of a tile, for the end of the last one also of tile count().
  [[nodiscard]] std::int64_t begin(std::int64_t tile) const { return rows_ * tile / count_; }

 private:
  std::int64_t rows_;
  std::int64_t count_;
};

}  // namespace translate

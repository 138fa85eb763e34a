#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pairs/pair_cleaning.h"

namespace translate {

/// What becomes of a pair of a text.
struct PairMark {
  bool is_ours = true;  ///< false: it is of another shard
  bool is_decoded = false;
  bool is_swapped = false;
  std::optional<DropReason> reason = {};

  bool operator==(const PairMark&) const = default;
};

/// The marks of all pairs of a text, a byte for each, so that it can be read several times.
class PairMarks {
 public:
  void add(const PairMark& mark) { bytes_.push_back(byte_of(mark)); }
  void set(std::uint64_t pair, const PairMark& mark) { bytes_[pair] = byte_of(mark); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  [[nodiscard]] PairMark operator[](std::uint64_t pair) const {
    const std::uint8_t byte = bytes_[pair];
    const auto reason = static_cast<std::uint8_t>(byte & kReason);
    return {.is_ours = (byte & kOthers) == 0,
            .is_decoded = (byte & kDecoded) != 0,
            .is_swapped = (byte & kSwapped) != 0,
            .reason = reason == 0 ? std::nullopt : std::optional(static_cast<DropReason>(reason - 1))};
  }

 private:
  static constexpr std::uint8_t kReason = 0x1F;
  static constexpr std::uint8_t kDecoded = 0x20;
  static constexpr std::uint8_t kSwapped = 0x40;
  static constexpr std::uint8_t kOthers = 0x80;
  static_assert(kDropReasons < kReason);

  static std::uint8_t byte_of(const PairMark& mark) {
    const int reason = mark.reason ? static_cast<int>(*mark.reason) + 1 : 0;
    return static_cast<std::uint8_t>(reason | (mark.is_decoded ? kDecoded : 0) | (mark.is_swapped ? kSwapped : 0) |
                                     (mark.is_ours ? 0 : kOthers));
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace translate

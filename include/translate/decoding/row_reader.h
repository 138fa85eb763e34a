#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "translate/decoding/logit_scan.h"
#include "translate/decoding/piece_constraints.h"
#include "translate/decoding/piece_tree.h"
#include "translate/decoding/search_options.h"
#include "translate/inference/decoding_session.h"

namespace translate {

/// What every search does with a row of logits first: what must not be said is forbidden, then the row is scanned.
/// Options and sentence must outlive it.
class RowReader {
 public:
  static constexpr std::int64_t kFree = -1;  ///< no piece is forced

  RowReader(const SearchOptions& options, const Sentence& sentence)
      : options_(options), sentence_(sentence), constraints_(options) {}

  /// `next`: what comes after `node`, the last of `length` pieces. Throws RuntimeError as LogitScan::look.
  void read(const PieceTree& tree, std::int64_t node, std::int64_t length, const NextPiece& next);

  /// The piece that the sentence's prefix wants next, or kFree.
  [[nodiscard]] std::int64_t forced() const { return forced_; }
  [[nodiscard]] const LogitScan& scan() const { return scan_; }
  [[nodiscard]] LogitScan& scan() { return scan_; }
  [[nodiscard]] std::span<const float> logits() const { return logits_; }
  /// See Hypothesis::aligned.
  [[nodiscard]] std::int64_t aligned() const { return aligned_; }

 private:
  const SearchOptions& options_;
  const Sentence& sentence_;
  PieceConstraints constraints_;
  LogitScan scan_;
  std::vector<std::int64_t> said_;
  std::span<const float> logits_;
  std::int64_t forced_ = kFree;
  std::int64_t aligned_ = -1;
};

}  // namespace translate

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alignment/partner_ratios.h"
#include "pairs/lexical_decoys.h"
#include "pairs/logistic_regression.h"
#include "pairs/pair_cleaning.h"
#include "pairs/pair_sample.h"

namespace translate {

/// What the words of a pair tell.
struct LexicalVerdict {
  std::optional<DropReason> reason = {};  ///< kMismatched or kCut; nothing if the pair is to be kept
  float score = 0.0F;  ///< how well the words match: higher is better, about 0 for other pairs' words
};

/// Tells by its words whether the sides of a pair belong together, and whether one of them is cut. It learns from pairs
/// that passed all else, noise included, which words are translations of each other (PartnerRatios), and where noise
/// begins, by decoys: some pairs of the text get the target of another one, and some lose a half of a side, before
/// anything is learnt from them, so that they score as such noise does in the text itself (noise_threshold).
///
/// The score of a pair is the mean of the ratios of the source's words plus that of the target's. A side is cut if, by
/// logistic regression on decoys and the text, two features tell so: how many words there are without a partner at one
/// end of the other side, and how much shorter the side is than usual.
class LexicalCleaning {
 public:
  /// Fewer pairs tell too little about their words.
  static constexpr std::size_t kFewestPairs = 5000;

  /// Learns from a sample of pairs as with_half gives them, on all threads; the result depends neither on their number
  /// nor on the order of the pairs. `allowed`: no reasons to leave a pair out.
  explicit LexicalCleaning(const PairSample& sample, LengthRatios lengths = {}, DropReasons allowed = {})
      : LexicalCleaning(DecoySample(sample), std::move(lengths), allowed) {}

  /// Thread-safe. Pairs with a side without words are kept.
  [[nodiscard]] LexicalVerdict look_at(const PairWords& pair) const;

  /// Whether the lines around a pair are shifted against each other: its target matches the source of the pair before
  /// or after it, and its source the target of the other one, so much better that chance does not explain it. `score`
  /// is that of the pair. Thread-safe.
  [[nodiscard]] bool is_shifted(const PairWords& before, const PairWords& pair, const PairWords& after,
                                float score) const;

 private:
  LexicalCleaning(const DecoySample& decoys, LengthRatios lengths, DropReasons allowed);

  using Features = std::array<double, 2>;  // of a cut

  /// Whether the other side has enough words.
  [[nodiscard]] static bool tells(const Features& features) { return features[0] >= 0.0; }

  /// What is known of a pair.
  struct Traits {
    float score = 0.0F;
    Features source_cut = {};  ///< tell whether the source is cut
    Features target_cut = {};
    bool is_far = false;  ///< by its lengths, which another reason looks at
  };
  /// Tells whether a side is cut.
  struct CutModel {
    LogisticRegression regression;
    double least_score = 0.0;  ///< the lowest of -log_odds that is no cut
    [[nodiscard]] bool is_cut(const Features& features) const {
      return tells(features) && -regression.log_odds(features) < least_score;
    }
  };

  [[nodiscard]] bool looks_for(DropReason reason) const { return !allowed_[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] static PartnerRatios train(const std::vector<PairView>& pairs);
  [[nodiscard]] float score_between(const PairWords& source, const PairWords& target) const;
  [[nodiscard]] Traits traits_of(const PairView& pair) const;
  [[nodiscard]] CutModel learn_cuts(std::span<const Traits> text, std::span<const Traits> decoys,
                                    Features Traits::*features) const;

  LengthRatios lengths_;
  DropReasons allowed_;
  PartnerRatios ratios_;
  double least_score_ = 0.0;  ///< the lowest score of pairs that belong together
  float usual_score_ = 0.0F;  ///< the median
  CutModel source_cuts_;
  CutModel target_cuts_;
};

}  // namespace translate

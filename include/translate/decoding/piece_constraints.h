#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "translate/decoding/search_options.h"

namespace translate {

/// Writes -inf into a row of logits (V) where no search says the piece: on unk, sos and pad, but not on `except`.
void forbid_special_pieces(const SpecialTokens& target, std::span<float> logits, std::int64_t except = -1);

/// What may not, or should less likely, be said next, written into a row of logits.
class PieceConstraints {
 public:
  explicit PieceConstraints(const SearchOptions& options) : options_(options.decoding), target_(options.target) {}

  /// Whether what was said matters, and not its length alone.
  [[nodiscard]] bool needs_history() const {
    return options_.no_repeat_ngram > 0 || options_.repetition_penalty != 1.0;
  }

  /// -inf on unk, sos, pad; on eos while fewer than min_length pieces were said; on what would end a run of
  /// no_repeat_ngram pieces that was said before. Logits of pieces already said are first divided by repetition_penalty
  /// where positive, else multiplied (Keskar et al. 2019, section 4.1). `said`: the `length` pieces so far, or none
  /// where !needs_history().
  void apply(std::span<const std::int64_t> said, std::int64_t length, std::span<float> logits);

  /// For a step in which `forced` must be said: -inf on unk, sos, pad alone, and not on `forced`.
  void apply_forced(std::int64_t forced, std::span<float> logits) const;

 private:
  void penalize(std::span<const std::int64_t> said, std::span<float> logits);
  void forbid_repeats(std::span<const std::int64_t> said, std::span<float> logits) const;

  DecodingOptions options_;
  SpecialTokens target_;
  std::vector<std::int64_t> distinct_;
};

}  // namespace translate

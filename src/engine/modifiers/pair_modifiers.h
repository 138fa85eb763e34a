#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "config/options.h"
#include "languages/language_names.h"
#include "modifiers/pair_text.h"
#include "text/alignment_point.h"

namespace translate {

/// Which modifiers change a pair, drawn from their probabilities before its text is read.
struct ModifierDraw {
  enum class Case { kAsItIs, kUpper, kTitle, kLower };

  bool joined = false;
  Case letter_case = Case::kAsItIs;
  bool final_punctuation = false;
  bool typos = false;
  bool noise = false;
  bool placeholders = false;
  bool keep = false;
  bool tags = false;
  bool terms = false;
  std::uint64_t seed = 0;  ///< of the draws within the text

  [[nodiscard]] bool is_empty() const {
    return !joined && letter_case == Case::kAsItIs && !final_punctuation && !typos && !noise && !needs_links();
  }
  [[nodiscard]] bool needs_links() const { return placeholders || keep || tags || terms; }
};

/// What a pair may be changed with.
struct PairSurroundings {
  LanguageCodes languages;
  const PairText* next = nullptr;                   ///< the pair that may follow it in one line, if there is one
  std::span<const AlignmentPoint> word_links = {};  ///< between the words of both sides (see word_changes.h)
};

/// Draws the modifiers of a pair: a function of its arguments, on every platform.
[[nodiscard]] ModifierDraw draw_modifiers(const ModifierOptions& options, std::uint64_t seed);

/// Returns a pair (valid UTF-8, without a language tag) as the drawn modifiers change it: first those that need links,
/// then the others in the order of ModifierDraw's members; nothing if it stays as it is. A function of its arguments,
/// on every platform with the same tables of ICU.
[[nodiscard]] std::optional<PairText> modified_pair(const PairText& pair, const ModifierDraw& draw,
                                                    const ModifierOptions& options,
                                                    const PairSurroundings& surroundings);

}  // namespace translate

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alignment/lexical_table.h"
#include "alignment/word_index.h"

namespace translate {

/// For each word of a pair of sentences the logarithm of a ratio (see PartnerRatios).
struct WordRatios {
  std::vector<float> source;
  std::vector<float> target;
};

/// The text that a model was trained on, in numbers of words, and how often words have no partner.
struct CountedText {
  std::span<const std::uint32_t> source;
  std::span<const std::uint32_t> target;
  float null_probability = 0.1F;
};

/// Tells how much more probable each word of a sentence is beside the other sentence than by itself:
/// log(p(f | e_1 ... e_I) / p(f)), with p(f | e_1 ... e_I) = p0 t(f | null) + (1 - p0) / I sum over i of t(f | e_i), as
/// IBM's Model 1 has it (Brown et al. 1993), and p(f) the share of the text's words. So frequent words count for as
/// little as they tell. A word that the other sentence explains has about 2 and more, one that it does not -1 to -2.
///
/// t(f | e) is discounted by a count of 1, and what the discount takes goes to words in proportion to what it takes
/// from them, which are mostly rare: t(f | e) = max(c(f,e) - 1, 0) / c(e) + rest(e) b(f). So rare words tell little,
/// and a pair of the training text is not explained by itself. Words that did not occur there count as those that
/// occurred once. 12 bytes for each entry of the table, of which 1 is at least one count, and 44 for each word.
class PartnerRatios {
 public:
  /// The lowest and the highest logarithm: a single word decides little.
  static constexpr float kMost = 2.0F;

  /// By expected counts of links, for the entries of `table`.
  PartnerRatios(WordIndex source_words, WordIndex target_words, LexicalTable table, const LexicalCounts& counts,
                const CountedText& text);

  /// Fills the logarithms of a pair, given by the ids of its words; 0 where the other side has no words. Thread-safe.
  void find(std::span<const std::int32_t> source, std::span<const std::int32_t> target, WordRatios& ratios) const;

 private:
  /// What is known of a word.
  struct Word {
    float inverse_share = 0.0F;  ///< 1 / p(f)
    float rare = 0.0F;           ///< b(f) / p(f)
    float null = 0.0F;           ///< p0 t(f | null) / p(f)
    float rest = 1.0F;           ///< rest(e)
  };
  struct Side {
    WordIndex index;
    std::vector<Word> words;
    Word unknown;

    [[nodiscard]] const Word& operator[](std::uint32_t number) const {
      return number == WordIndex::kUnknown ? unknown : words[number];
    }
  };

  [[nodiscard]] static Side side_of(WordIndex index, std::span<const std::uint32_t> text, const DiscountedSide& counts,
                                    float null_probability);

  LexicalTable table_;
  float null_probability_;
  Side source_;
  Side target_;
};

}  // namespace translate

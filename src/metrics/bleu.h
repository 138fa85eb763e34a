#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/corpus_metric.h"

namespace translate {

/// The spaces that separate_pairs puts around a pair.
struct PairSpaces {
  bool before = false;
  bool behind = false;
};

/// Scans `text` for non-overlapping pairs of characters, like a regular expression of two characters: a pair for which
/// `matches(first, second)` holds is written with a space in its middle and, as `spaces` says, around it, and both
/// characters are consumed; otherwise the first one is copied. A consumed character cannot start another pair, which
/// determines how runs such as "..." and ",." are cut.
template <typename Character, typename Matches>
std::basic_string<Character> separate_pairs(const std::basic_string<Character>& text, Matches matches,
                                            PairSpaces spaces) {
  constexpr auto kSpace = static_cast<Character>(' ');
  std::basic_string<Character> separated;
  separated.reserve(text.size() + text.size() / 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      if (spaces.before) separated.push_back(kSpace);
      separated.append({text[i], kSpace, text[i + 1]});
      if (spaces.behind) separated.push_back(kSpace);
      ++i;
    } else {
      separated.push_back(text[i]);
    }
  }
  return separated;
}

/// The tokens of one line by the tokenization of WMT's mteval-v13a script in sacreBLEU's definition ("13a"):
/// `<skipped>` and "-\n" are removed, a newline is a space, `&quot; &amp; &lt; &gt;` stand for their characters, each
/// ASCII symbol but ' , - . is a token, a full stop or comma is one unless digits stand on both sides, a dash is one
/// after a digit. Unicode white space (see is_unicode_space) separates tokens. Case is kept. `line` is UTF-8; other
/// bytes pass through unchanged.
[[nodiscard]] std::vector<std::string> tokenize_13a(std::string_view line);

/// The tokens of one line by the international tokenization of WMT's mteval-v14 script in sacreBLEU's definition
/// ("intl"): punctuation (Unicode category P) is a token unless numbers (N) stand on both sides, or a number before it
/// and nothing after it; every symbol (S) is a token; Unicode white space separates tokens. Nothing is unescaped, case
/// is kept. `line` is UTF-8, ill-formed parts become U+FFFD.
[[nodiscard]] std::vector<std::string> tokenize_intl(std::string_view line);

/// BLEU's tokenizations of a line, in sacreBLEU's definitions.
enum class BleuTokenization {
  k13a,   ///< see tokenize_13a
  kIntl,  ///< see tokenize_intl
  kNone,  ///< at white space only: for text that is already tokenized
  kChar,  ///< each character except white space
};

/// All names, as to_string gives them.
inline constexpr std::array<std::string_view, 4> kBleuTokenizations = {"13a", "intl", "none", "char"};

/// The name used in signatures.
[[nodiscard]] std::string_view to_string(BleuTokenization tokenization);

/// The tokenization with this name. Throws ConfigError if there is none.
[[nodiscard]] BleuTokenization bleu_tokenization(std::string_view name);

/// The options of BLEU.
struct BleuOptions {
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;  ///< ignores case: all text is converted to lower case first
};

/// Returns the tokens of a UTF-8 line: converts it to lower case if `options` ask for it, removes trailing white space,
/// and tokenizes it.
[[nodiscard]] std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options);

/// A corpus BLEU score and its components.
struct BleuScore {
  double score = 0.0;                  ///< 0 to 100
  std::array<double, 4> precisions{};  ///< of 1- to 4-grams in percent, smoothed; all 0 if nothing matches
  double brevity_penalty = 1.0;        ///< 0 to 1
  std::int64_t hypothesis_length = 0;  ///< tokens
  std::int64_t reference_length = 0;   ///< tokens
  std::string signature;               ///< in sacreBLEU's format

  /// The ratio of hypothesis tokens to reference tokens; 0 if the references are empty, as in sacreBLEU.
  [[nodiscard]] double length_ratio() const {
    return reference_length == 0 ? 0.0 : static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
  }
};

/// BLEU-4 (Papineni et al. 2002) as sacreBLEU defines it: n-grams are counted over the whole corpus. With several
/// references an n-gram counts as often as in the reference that has it most often, and the reference length is the
/// nearest one (the shorter of two). The k-th order without a match gets the precision 100 / (2^k * n-grams of that
/// order) (Chen and Cherry 2014, method 3). All four orders always count for a corpus: if its hypotheses have no
/// 4-gram, or no word of the references, it scores 0. For a sentence only the orders that it has count ("effective
/// order").
class Bleu : public CorpusMetric {
 public:
  explicit Bleu(BleuOptions options = {}) : options_(options) {}

  /// The lengths of hypothesis and reference, and the matches and n-grams of each order.
  [[nodiscard]] std::size_t size() const override { return 10; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override { return details(sums).score; }
  [[nodiscard]] double sentence_score(std::span<const double> counts) const override;
  [[nodiscard]] bool higher_is_better() const override { return true; }
  [[nodiscard]] std::string settings() const override;

  /// The score of a corpus with its components, without the signature.
  [[nodiscard]] BleuScore details(std::span<const double> sums) const;

 private:
  BleuOptions options_;
};

/// Corpus BLEU of UTF-8 lines with one reference each and the default options. Throws DataError if the numbers of lines
/// differ or are 0.
[[nodiscard]] BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                                    const std::vector<std::string>& references);

}  // namespace translate

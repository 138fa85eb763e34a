#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"

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
      if (spaces.before) {
        separated.push_back(kSpace);
      }
      separated.append({text[i], kSpace, text[i + 1]});
      if (spaces.behind) {
        separated.push_back(kSpace);
      }
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

/// The tokens of one line by sacreBLEU's tokenization of Chinese ("zh"): each Chinese character is a token, as is each
/// character of the other blocks of Unicode that sacreBLEU counts as Chinese (punctuation, full-width forms, symbols);
/// the rest is cut by the rules of 13a, but nothing is unescaped. `line` is UTF-8, ill-formed parts become U+FFFD.
[[nodiscard]] std::vector<std::string> tokenize_zh(std::string_view line);

/// The options of BLEU.
struct BleuOptions {
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;  ///< ignores case: all text is converted to lower case first
};

/// Returns the tokens of a UTF-8 line: converts it to lower case if `options` ask for it, removes trailing white space,
/// and tokenizes it.
[[nodiscard]] std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options);

}  // namespace translate

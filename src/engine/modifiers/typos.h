#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace translate {

/// How many words of a text get a typo.
struct TypoOptions {
  double words = 0.05;        ///< the share of its words, on average
  bool at_least_one = false;  ///< one word gets a typo in any case, if there is a word that can
  std::string language = {};  ///< an ISO 639 code, for the keyboard: QWERTY, in French AZERTY, in German QWERTZ
};

/// Returns a text (valid UTF-8) with typos, each in a word of its own and of one of four kinds: a letter's neighbour on
/// the keyboard in its place (letters a to z), two letters swapped, a letter left out, a letter doubled. Words of less
/// than three letters stay as they are, and so does what is no word (numbers, URLs) and words of scripts that are not
/// typed letter by letter. A function of its arguments and the state of `random`, on every platform.
[[nodiscard]] std::string with_typos(std::string_view text, const TypoOptions& options, std::mt19937_64& random);

}  // namespace translate

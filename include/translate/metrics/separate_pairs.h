#pragma once

#include <cstddef>
#include <string>

namespace translate {

/// What separate_pairs puts around a pair.
struct PairSpaces {
  bool before = false;
  bool behind = false;
};

/// Passes over `text` by pairs of characters that do not overlap, as a regular expression of two characters does: a
/// pair for which `matches(first, second)` holds is written with a space in its middle and, as `spaces` says, around
/// it, and both are used up; otherwise the first is copied. What a pair has used up cannot start another, which decides
/// how runs such as "..." and ",." are cut.
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

}  // namespace translate

#include "modifiers/typos.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "modifiers/chance.h"
#include "segments/characters.h"

namespace translate {

namespace {

/// The rows of letters of a keyboard. Each row is set off to the right of the one above it by about half a key.
using Keyboard = std::array<std::u32string_view, 3>;

constexpr Keyboard kQwerty = {U"qwertyuiop", U"asdfghjkl", U"zxcvbnm"};
constexpr Keyboard kAzerty = {U"azertyuiop", U"qsdfghjklm", U"wxcvbn"};
constexpr Keyboard kQwertz = {U"qwertzuiop", U"asdfghjkl", U"yxcvbnm"};

const Keyboard& keyboard_of(std::string_view language) {
  constexpr std::array<std::string_view, 6> kWithQwertz = {"de", "cs", "sk", "hu", "sl", "hr"};
  const auto code = language.substr(0, language.find_first_of("-_"));
  if (code == "fr") {
    return kAzerty;
  }
  return std::ranges::find(kWithQwertz, code) != kWithQwertz.end() ? kQwertz : kQwerty;
}

/// Returns the letters beside a small letter, in its row and the rows above and below; none if it has no key.
std::u32string neighbours(const Keyboard& keyboard, char32_t letter) {
  std::u32string found;
  const auto add = [&](std::size_t row, std::size_t column) {
    if (row < keyboard.size() &&
        column < keyboard[row].size()) {  // a place left of or above the first is a huge number
      found += keyboard[row][column];
    }
  };
  for (std::size_t row = 0; row < keyboard.size(); ++row) {
    const auto column = keyboard[row].find(letter);
    if (column == std::u32string_view::npos) {
      continue;
    }
    add(row, column - 1);
    add(row, column + 1);
    add(row - 1, column);
    add(row - 1, column + 1);
    add(row + 1, column - 1);
    add(row + 1, column);
  }
  return found;
}

bool is_typed_letter(char32_t c) {
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(c), &status)) {
    case USCRIPT_LATIN:
    case USCRIPT_GREEK:
    case USCRIPT_CYRILLIC:
    case USCRIPT_ARMENIAN:
    case USCRIPT_GEORGIAN:
    case USCRIPT_HEBREW:
    case USCRIPT_ARABIC:
      return u_isalpha(static_cast<UChar32>(c)) != 0;  // no marks, which belong to the letter before them
    default:
      return false;
  }
}

/// The letters of a word within a text, without the punctuation around them.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool can_have_typo(std::u32string_view word) {
  constexpr std::size_t kFewestLetters = 3;
  return word.size() >= kFewestLetters && std::ranges::all_of(word, [](char32_t c) {
           return is_typed_letter(c) || c == U'\'' || c == U'’' || c == U'-';
         });
}

/// Finds the words of a text, between white space; returns those that can have a typo, and the number of all.
std::vector<Word> words_for_typos(std::u32string_view text, std::size_t& all) {
  std::vector<Word> words;
  all = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto space = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_unicode_space);
    Word word{.begin = at, .end = static_cast<std::size_t>(space - text.begin())};
    at = word.end + 1;
    while (word.begin < word.end && u_ispunct(static_cast<UChar32>(text[word.begin])) != 0) {
      ++word.begin;
    }
    while (word.begin < word.end && u_ispunct(static_cast<UChar32>(text[word.end - 1])) != 0) {
      --word.end;
    }
    all += word.begin < word.end ? 1 : 0;
    if (can_have_typo(text.substr(word.begin, word.end - word.begin))) {
      words.push_back(word);
    }
  }
  return words;
}

/// Puts the neighbour of a letter in its place; returns false if it has none.
bool press_neighbour(std::u32string& word, std::size_t at, const Keyboard& keyboard, std::mt19937_64& random) {
  const auto small = static_cast<char32_t>(u_tolower(static_cast<UChar32>(word[at])));
  const auto beside = neighbours(keyboard, small);
  if (beside.empty()) {
    return false;
  }
  const auto pressed = one_of(std::span<const char32_t>(beside), random);
  word[at] = small == word[at] ? pressed : static_cast<char32_t>(u_toupper(static_cast<UChar32>(pressed)));
  return true;
}

/// Returns a word of at least three letters with a typo.
std::u32string mistyped(std::u32string word, const Keyboard& keyboard, std::mt19937_64& random) {
  enum Kind : std::uint64_t { kNeighbour, kSwapped, kLeftOut, kDoubled, kKinds };
  const auto kind = draw_below(random, kKinds);
  const auto at = draw_below(random, word.size());
  if (kind == kNeighbour && press_neighbour(word, at, keyboard, random)) {
    return word;
  }
  if (kind == kSwapped) {
    const auto inner = 1 + draw_below(random, word.size() - 2);  // the first letter, often a capital, stays
    if (word[inner] != word[inner + 1]) {
      std::swap(word[inner], word[inner + 1]);
      return word;
    }
  }
  if (kind == kLeftOut) {
    return word.erase(at, 1);
  }
  return word.insert(at, 1, word[at]);
}

/// Chooses the words that get a typo.
std::vector<Word> chosen_words(const std::vector<Word>& words, std::size_t all, const TypoOptions& options,
                               std::mt19937_64& random) {
  // The words that cannot have one pass their share on.
  const double share = options.words * static_cast<double>(all) / static_cast<double>(words.size());
  std::vector<Word> chosen;
  std::ranges::copy_if(words, std::back_inserter(chosen), [&](const Word&) { return happens(share, random); });
  if (chosen.empty() && options.at_least_one) {
    chosen.push_back(one_of(std::span<const Word>(words), random));
  }
  return chosen;
}

}  // namespace

std::string with_typos(std::string_view text, const TypoOptions& options, std::mt19937_64& random) {
  const std::u32string characters = decode_utf8(text);
  std::size_t all = 0;
  const auto words = words_for_typos(characters, all);
  if (words.empty()) {
    return std::string(text);
  }
  const auto& keyboard = keyboard_of(options.language);
  std::u32string result;
  std::size_t written = 0;
  for (const auto& word : chosen_words(words, all, options, random)) {
    result += characters.substr(written, word.begin - written);
    result += mistyped(characters.substr(word.begin, word.end - word.begin), keyboard, random);
    written = word.end;
  }
  return encode_utf8(result + characters.substr(written));
}

}  // namespace translate

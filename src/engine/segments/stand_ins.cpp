#include "segments/stand_ins.h"

#include <algorithm>

#include "segments/character_coverage.h"
#include "segments/characters.h"

namespace translate {

namespace {

/// True for characters that make one number of the digits on their two sides.
bool joins_digits(char c) { return c == '.' || c == ',' || c == ':' || c == '/'; }

}  // namespace

StandIns::StandIns(const Tokenizer& source, const Tokenizer& target) {
  constexpr std::string_view kDigits = "7395846";  // 0, 1 and 2 have words and forms of their own in many languages
  const CharacterCoverage of_source(source);
  const CharacterCoverage of_target(target);
  for (const char digit : kDigits) {
    if (of_source.has(static_cast<char32_t>(digit)) && of_target.has(static_cast<char32_t>(digit))) {
      digits_ += digit;
    }
  }
}

std::vector<std::string> StandIns::choose(std::size_t count, std::string_view text) const {
  std::vector<std::string> chosen;
  const auto take = [&](const std::string& number) {
    if (chosen.size() < count && find_number(text, number) == std::string_view::npos) {
      chosen.push_back(number);
    }
  };
  for (const char digit : digits_) {
    take(std::string(1, digit));
  }
  for (const char first : digits_) {
    for (const char second : digits_) {
      take({first, second});
    }
  }
  return chosen;
}

std::size_t find_number(std::string_view text, std::string_view number, std::size_t begin) {
  for (auto at = text.find(number, begin); at != std::string_view::npos; at = text.find(number, at + 1)) {
    const auto end = at + number.size();
    const bool begins = at == 0 || (!is_ascii_digit(text[at - 1]) &&
                                    !(at > 1 && joins_digits(text[at - 1]) && is_ascii_digit(text[at - 2])));
    const bool ends =
        end == text.size() || (!is_ascii_digit(text[end]) &&
                               !(end + 1 < text.size() && joins_digits(text[end]) && is_ascii_digit(text[end + 1])));
    if (begins && ends) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace translate

#include "segments/stand_ins.h"

#include <algorithm>

#include "segments/character_coverage.h"
#include "segments/characters.h"
#include "segments/symbol_ids.h"

namespace translate {

namespace {

constexpr std::size_t kSymbols = 10;

/// True for characters that make one number of the digits on their two sides.
bool joins_digits(char c) { return c == '.' || c == ',' || c == ':' || c == '/'; }

}  // namespace

std::vector<std::string> placeholder_symbols() {
  std::vector<std::string> symbols;
  for (std::size_t i = 0; i < kSymbols; ++i) {
    symbols.push_back("{" + std::to_string(i) + "}");
  }
  return symbols;
}

StandIns::StandIns(const Tokenizer& source, const Tokenizer& target)
    : target_ids_(common_symbol_ids(source, target, placeholder_symbols())) {
  if (!target_ids_.empty()) {
    symbols_ = placeholder_symbols();
  }
  constexpr std::string_view kDigits = "7395846";  // 0, 1 and 2 have words and forms of their own in many languages
  const CharacterCoverage of_source(source);
  const CharacterCoverage of_target(target);
  for (const char digit : kDigits) {
    if (of_source.has(static_cast<char32_t>(digit)) && of_target.has(static_cast<char32_t>(digit))) {
      digits_ += digit;
    }
  }
}

namespace {

/// Returns where a number stands in `text` as a whole number, from `begin` on.
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

}  // namespace

std::vector<std::string> StandIns::choose(std::size_t count, std::string_view text) const {
  if (count <= symbols_.size()) {
    return {symbols_.begin(), symbols_.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  std::vector<std::string> chosen;
  const auto take = [&](const std::string& number) {
    if (chosen.size() < count && find_number(text, number, 0) == std::string_view::npos) {
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

std::vector<std::int64_t> StandIns::absent_symbols(std::string_view text) const {
  std::vector<std::int64_t> absent;
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (text.find(symbols_[i]) == std::string_view::npos) {
      absent.push_back(target_ids_[i]);
    }
  }
  return absent;
}

std::size_t find_stand_in(std::string_view text, std::string_view stand_in, std::size_t begin) {
  return stand_in.starts_with('{') ? text.find(stand_in, begin) : find_number(text, stand_in, begin);
}

}  // namespace translate

#include "pairs/copied_names.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "segments/characters.h"

namespace translate {

namespace {

// Of bytes: those of characters beyond ASCII are neither.
bool is_digit(char c) { return is_ascii_digit(static_cast<unsigned char>(c)); }
bool is_latin_letter(char c) { return is_ascii_letter(static_cast<unsigned char>(c)); }

bool belongs_to_word(char c) { return is_latin_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

/// The digits of each number, sorted. Those that stand inside a word, such as "mp3" or "30th", are no numbers. `joins`:
/// whether digits with a stop, comma or colon between them are one number.
std::vector<std::string> numbers_of(std::string_view text, bool joins) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    const bool begins_in_word = i > 0 && belongs_to_word(text[i - 1]);
    std::string digits;
    for (; i < text.size(); ++i) {
      const bool is_between = joins && std::string_view(".,:").find(text[i]) != std::string_view::npos &&
                              i + 1 < text.size() && is_digit(text[i + 1]);
      if (is_digit(text[i])) {
        digits += text[i];
      } else if (!is_between) {
        break;
      }
    }
    const bool ends_in_word = i < text.size() && belongs_to_word(text[i]);
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    if (!begins_in_word && !ends_in_word) {
      numbers.push_back(std::move(digits));
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

/// Whether many write a number as a word.
bool is_small(const std::string& digits) {
  return digits.size() == 1 || digits == "10" || digits == "11" || digits == "12";
}

bool is_address(std::string_view word) {
  const auto lower = ascii_lower(std::string(word));
  return lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.") ||
         (lower.find('@') != std::string::npos && lower.find('.', lower.find('@')) != std::string::npos);
}

/// The URLs and e-mail addresses, without the punctuation around them, sorted.
std::vector<std::string_view> addresses_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  constexpr std::string_view kAround = ".,;:!?()[]<>\"'";
  std::vector<std::string_view> addresses;
  for (auto begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kSpace, begin), text.size());
    auto word = text.substr(begin, end - begin);
    const auto first = std::min(word.find_first_not_of(kAround), word.size());
    word = word.substr(first, word.find_last_not_of(kAround) + 1 - first);
    if (is_address(word)) {
      addresses.push_back(word);
    }
    begin = text.find_first_not_of(kSpace, end);
  }
  std::ranges::sort(addresses);
  return addresses;
}

/// The numbers that `one` has and `other` lacks.
std::size_t lacking(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  std::vector<std::string> left;
  std::ranges::set_difference(one, other, std::back_inserter(left));
  return static_cast<std::size_t>(
      std::ranges::count_if(left, [](const std::string& digits) { return !is_small(digits); }));
}

}  // namespace

bool have_different_numbers(const SentencePair& pair) {
  const auto differ = [&pair](bool joins) {
    const auto source = numbers_of(pair.source, joins);
    const auto target = numbers_of(pair.target, joins);
    const auto of_source = lacking(source, target);
    const auto of_target = lacking(target, source);
    return (of_source > 0 && of_target > 0) || of_source > 1 || of_target > 1;
  };
  return differ(/*joins=*/true) && differ(/*joins=*/false);
}

bool have_different_addresses(const SentencePair& pair) {
  return addresses_of(pair.source) != addresses_of(pair.target);
}

bool has_markup(std::string_view text) {
  const auto has_letter_at = [&](std::size_t place) { return place < text.size() && is_latin_letter(text[place]); };
  for (auto at = text.find_first_of("<&"); at != std::string_view::npos; at = text.find_first_of("<&", at + 1)) {
    if (text[at] == '<') {
      const auto name = at + (at + 1 < text.size() && text[at + 1] == '/' ? 2 : 1);
      const auto end = text.find_first_of("<>", at + 1);
      if (has_letter_at(name) && end != std::string_view::npos && text[end] == '>') {
        return true;
      }
      continue;
    }
    constexpr std::size_t kLongest = 10;
    const auto end = text.find_first_of("; ", at);
    const bool begins = has_letter_at(at + 1) || (at + 1 < text.size() && text[at + 1] == '#');
    if (begins && end != std::string_view::npos && text[end] == ';' && end - at > 2 && end - at <= kLongest) {
      return true;
    }
  }
  return false;
}

std::string with_usual_references_decoded(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&nbsp;", " "}, {"&amp;", "&"}};
  std::string decoded(text);
  for (const auto& [reference, character] : kUsual) {
    decoded = replace_all(decoded, reference, character);
  }
  return decoded;
}

}  // namespace translate

#include "text/sentence_splitter.h"

#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace translate {

namespace {

// Text is UTF-16 here, as ICU reads it; positions are in UTF-16 units.
constexpr char16_t kEllipsis = u'…';

bool is_one_of(char16_t c, std::u16string_view marks) { return marks.find(c) != std::u16string_view::npos; }
bool is_wide_closing(char16_t c) { return is_one_of(c, u"」』）】〉》〕〗〙〛〞〟］｝｣"); }
bool is_wide_opening(char16_t c) { return is_one_of(c, u"「『（【〈《〔〖〘〚〝［｛｢"); }
bool is_closing(char16_t c) { return is_one_of(c, u"\"')]}»«”“’›‹") || is_wide_closing(c); }
bool is_opening(char16_t c) { return is_one_of(c, u"([{„‚") || is_wide_opening(c); }
bool is_space(char16_t c) { return is_unicode_space(c); }
bool ends_paragraph(char16_t c) { return is_one_of(c, u"\n\r\u0085\u2028\u2029"); }

/// True for the decimal digits of ASCII and of the scripts that write numbers with their own.
bool is_digit(char16_t c) {
  constexpr char16_t kZeros[] = {0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6,
                                 0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10};
  return std::ranges::any_of(kZeros, [=](char16_t zero) { return c >= zero && c <= zero + 9; });
}

bool is_apostrophe(char16_t c) { return c == u'\'' || c == u'’'; }

/// True for end marks of scripts that put white space after them; after others a sentence may begin at once.
bool needs_space(char16_t c) { return is_one_of(c, u".!?…") || is_closing(c); }

/// A text as UTF-16, with the byte offset of each unit.
struct Utf16Text {
  explicit Utf16Text(std::string_view text) {
    const auto code_points = decode_utf8(text);
    std::size_t byte = 0;
    for (const char32_t c : code_points) {
      if (c >= 0x10000) {
        add(static_cast<char16_t>(0xD7C0U + (c >> 10U)), byte);
        add(static_cast<char16_t>(0xDC00U | (c & 0x3FFU)), byte);
      } else {
        add(static_cast<char16_t>(c), byte);
      }
      byte += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }
    bytes.push_back(byte);
  }

  void add(char16_t unit, std::size_t byte) {
    units += unit;
    bytes.push_back(byte);
  }

  std::u16string units;
  std::vector<std::size_t> bytes;  ///< the byte that each unit begins at, and the size of the text
};

bool has_capital(std::u16string_view text) {
  return std::ranges::any_of(text, [](char16_t c) { return u_isupper(c) != 0; });
}

/// True if a dash at `place` begins direct speech: "Tu as faim ? — Un peu."
bool is_speech_dash(std::u16string_view text, std::size_t place) {
  const bool is_dash = is_one_of(text[place], u"—–") && place + 2 < text.size() && is_space(text[place + 1]);
  auto before = place;
  while (before > 0 && is_space(text[before - 1])) {
    --before;
  }
  return is_dash && before > 0 && is_one_of(text[before - 1], u".!?…") && u_isupper(text[place + 2]) != 0;
}

/// Returns the text as ICU should analyse it, unit for unit: by the standard a sentence begins neither with a
/// lower-case letter nor with a dash, and an ellipsis does not end one. `numbers_begin`: nor does a sentence begin with
/// a number and a lower-case word.
std::u16string analysed(std::u16string text, bool numbers_begin) {
  const bool all_lower_case = !has_capital(text);
  const auto original = text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_word = i > 0 && is_space(original[i - 1]);
    if (original[i] == kEllipsis) {
      text[i] = u'.';
    } else if (all_lower_case || (begins_word && i + 1 < text.size() && u_isupper(original[i + 1]) != 0)) {  // "iPhone"
      const auto capital = u_toupper(original[i]);
      text[i] = capital < 0x10000 ? static_cast<char16_t>(capital) : original[i];
    } else if (begins_word && ((numbers_begin && is_digit(original[i])) || is_speech_dash(original, i))) {
      text[i] = u'A';
    }
  }
  return text;
}

/// The positions at which ICU begins a sentence, except the first.
std::vector<std::size_t> icu_boundaries(const std::u16string& text, const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UBreakIterator, decltype(&::ubrk_close)> iterator(
      ubrk_open(UBRK_SENTENCE, language.c_str(), text.data(), static_cast<std::int32_t>(text.size()), &status),
      ubrk_close);
  if (U_FAILURE(status)) {
    throw RuntimeError(fmt::format("ICU finds no rules for sentences (error {})", static_cast<int>(status)));
  }
  std::vector<std::size_t> boundaries;
  for (auto place = ubrk_next(iterator.get()); place != UBRK_DONE; place = ubrk_next(iterator.get())) {
    if (static_cast<std::size_t>(place) < text.size()) {
      boundaries.push_back(static_cast<std::size_t>(place));
    }
  }
  return boundaries;
}

/// White space between two sentences, from the end of one to the beginning of the other.
struct Gap {
  std::size_t begin;
  std::size_t end;
};

std::size_t skip_spaces(std::u16string_view text, std::size_t place) {
  while (place < text.size() && is_space(text[place])) {
    ++place;
  }
  return place;
}

Gap gap_at(std::u16string_view text, std::size_t boundary) {
  auto begin = boundary;
  while (begin > 0 && is_space(text[begin - 1])) {
    --begin;
  }
  return {.begin = begin, .end = skip_spaces(text, boundary)};
}

/// True for an opening bracket of Chinese or Japanese at `place`, or a quotation mark that opens behind their marks: in
/// German the same ones close.
bool opens_speech(std::u16string_view text, std::size_t place) {
  return is_wide_opening(text[place]) ||
         (is_one_of(text[place], u"“‘") && place > 0 && is_one_of(text[place - 1], u"。！？｡”"));
}

/// Returns a boundary of ICU's, which takes opening brackets for closing ones, before those in front of it:
/// 「はい。」「
std::size_t before_opening_marks(std::u16string_view text, std::size_t boundary) {
  while (boundary > 0 && opens_speech(text, boundary - 1)) {
    --boundary;
  }
  return boundary;
}

/// Returns the gap after a closing mark that white space separates from the end mark, as in French: « Quoi ? » Il est
/// parti.
Gap behind_closing_mark(std::u16string_view text, Gap gap) {
  const bool is_close = gap.end < text.size() && text[gap.end] == u'»' && gap.begin < gap.end;
  const auto after = gap.end + 1;
  if (!is_close || (after < text.size() && !is_space(text[after]))) {
    return gap;
  }
  return {.begin = after, .end = skip_spaces(text, after)};
}

/// The word from `begin` on, in lower case, up to an apostrophe (as ') or to the end of its letters and digits.
std::string next_word(std::u16string_view text, std::size_t begin) {
  while (begin < text.size() && (is_closing(text[begin]) || is_opening(text[begin]) || is_space(text[begin]) ||
                                 is_one_of(text[begin], u"–—-¿¡"))) {
    ++begin;
  }
  std::u32string word;
  while (begin < text.size() && !is_space(text[begin]) && !is_apostrophe(text[begin]) &&
         !is_one_of(text[begin], u".,;:!?…)]}\"»”“-")) {
    word += static_cast<char32_t>(u_tolower(text[begin++]));
  }
  if (begin < text.size() && is_apostrophe(text[begin])) {
    word += U'\'';
  }
  return encode_utf8(word);
}

/// True if a word is one capital letter, or letters separated by full stops and hyphens.
bool is_initial(std::u16string_view word) {
  const auto is_letter = [](char16_t c) { return u_isupper(c) != 0 || u_islower(c) != 0; };
  if (word.size() == 1) {
    return u_isupper(word.front()) != 0;
  }
  for (std::size_t i = 0; i < word.size() && is_letter(word[i]);) {
    if (++i == word.size()) {
      return true;
    }
    const auto letter_end = i;
    while (i < word.size() && is_one_of(word[i], u".-")) {
      ++i;
    }
    if (i == letter_end) {
      return false;
    }
  }
  return false;
}

bool is_short_number(std::u16string_view word) {
  const bool is_roman = word.size() > 1 && std::ranges::all_of(word, [](char16_t c) { return is_one_of(c, u"IVXLC"); });
  return is_roman || (word.size() <= 3 && std::ranges::all_of(word, is_digit));
}

/// The word whose full stop is the last unit of `text`.
std::u16string_view stopped_word(std::u16string_view text) {
  text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && !is_space(text[begin - 1]) && !is_apostrophe(text[begin - 1])) {
    --begin;
  }
  text.remove_prefix(begin);
  while (!text.empty() &&
         (is_closing(text.front()) || is_opening(text.front()) || is_one_of(text.front(), u"–—-¿¡/"))) {
    text.remove_prefix(1);
  }
  return text;
}

/// A word with the single letters before it that belong to it: "z.B" of "Obst, z. B.", `word` being "B".
std::u16string with_letters_before(std::u16string_view text, std::u16string_view word) {
  constexpr std::size_t kLongest = 32;  // far above any abbreviation: a text may consist of single letters
  std::u16string whole(word);
  auto place = static_cast<std::size_t>(word.data() - text.data());
  while (whole.size() < kLongest && place >= 3 && is_space(text[place - 1]) && text[place - 2] == u'.' &&
         !is_digit(text[place - 3]) && (place == 3 || is_space(text[place - 4]) || is_one_of(text[place - 4], u"("))) {
    place -= 3;
    whole.insert(0, {text[place], u'.'});
  }
  return whole;
}

StoppedWord described(const std::u16string& word) {
  StoppedWord result{.text = "", .is_initial = is_initial(word), .is_short_number = is_short_number(word)};
  std::u32string lower;
  for (const char16_t c : word) {
    lower += static_cast<char32_t>(u_tolower(c));
  }
  result.text = encode_utf8(lower);
  return result;
}

/// True if the sentence that begins at `begin` continues after `gap`, at which ICU ends it.
bool goes_on(std::u16string_view text, std::size_t begin, Gap gap, const Abbreviations& abbreviations) {
  const char16_t last = text[gap.begin - 1];
  const auto between = text.substr(gap.begin, gap.end - gap.begin);
  if (std::ranges::any_of(between, ends_paragraph)) {
    return false;
  }
  if (between.empty()) {  // 「猫？」と彼は言った。, but 「はい。」「いいえ。」
    return needs_space(last) && !opens_speech(text, gap.end);
  }
  if (is_closing(last)) {
    return u_islower(text[gap.end]) != 0;  // "Go!" he said.
  }
  if (last != u'.') {
    return false;
  }
  const auto word = stopped_word(text.substr(0, gap.begin));
  const bool is_marker = !word.empty() && word.size() <= 3 && std::ranges::all_of(word, is_digit) &&
                         word.data() == text.data() + begin;  // number of a list item: "1. Mix the flour."
  return is_marker || abbreviations.joins(described(with_letters_before(text, word)), next_word(text, gap.end));
}

std::vector<TextRange> ranges_between(const Utf16Text& text, const std::vector<Gap>& gaps) {
  std::vector<TextRange> ranges;
  std::size_t begin = skip_spaces(text.units, 0);
  for (const auto& gap : gaps) {
    ranges.push_back({.begin = text.bytes[begin], .end = text.bytes[gap.begin]});
    begin = gap.end;
  }
  const auto end = gap_at(text.units, text.units.size()).begin;
  if (begin < end) {
    ranges.push_back({.begin = text.bytes[begin], .end = text.bytes[end]});
  }
  return ranges;
}

/// Looks for an end mark, then white space, then more text, character by character.
class BoundaryScan {
 public:
  /// Takes the next character. Returns true if there may be a boundary before it, or if its script is not known here.
  [[nodiscard]] bool takes(char32_t c) {
    const bool is_latin = c < 0x370;
    const bool is_cyrillic = c >= 0x400 && c < 0x530;
    const bool is_general = c >= 0x2010 && c <= 0x20BF;  // punctuation and currency signs
    const auto unit = static_cast<char16_t>(c);
    if ((!is_latin && !is_cyrillic && !is_general) || ends_paragraph(unit)) {
      return true;
    }
    if (is_unicode_space(c)) {
      after_space_ = after_mark_;
      return false;
    }
    after_mark_ = is_one_of(unit, u".!?…․‼⁇⁈⁉") || (after_mark_ && (is_closing(unit) || is_opening(unit)));
    return after_space_;
  }

 private:
  bool after_mark_ = false;  ///< also after closing marks that follow it
  bool after_space_ = false;
};

/// The range of a text without the white space around it; none for a blank text.
std::vector<TextRange> whole_text(std::string_view text) {
  constexpr std::string_view kAsciiSpace = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
  const auto begin = text.find_first_not_of(kAsciiSpace);
  const bool is_plain = begin != std::string_view::npos && static_cast<unsigned char>(text[begin]) < 0x80;
  const auto end = text.find_last_not_of(kAsciiSpace);
  if (is_plain && static_cast<unsigned char>(text[end]) < 0x80) {
    return {{.begin = begin, .end = end + 1}};
  }
  return ranges_between(Utf16Text(text), {});  // there may be white space beyond ASCII
}

}  // namespace

bool may_hold_several_sentences(std::string_view text) {
  BoundaryScan scan;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) {
      return std::ranges::any_of(decode_utf8(text.substr(i)), [&](char32_t c) { return scan.takes(c); });
    }
    if (scan.takes(static_cast<char32_t>(text[i]))) {
      return true;
    }
  }
  return false;
}

SentenceSplitter::SentenceSplitter(std::string language)
    : language_(std::move(language)), abbreviations_(abbreviations_of(language_)) {}

std::vector<TextRange> SentenceSplitter::split(std::string_view text) const {
  if (!may_hold_several_sentences(text)) {
    return whole_text(text);
  }
  const Utf16Text read(text);
  std::vector<Gap> gaps;
  std::size_t begin = skip_spaces(read.units, 0);
  for (const auto boundary : icu_boundaries(analysed(read.units, !abbreviations_.empty()), language_)) {
    const auto gap = behind_closing_mark(read.units, gap_at(read.units, before_opening_marks(read.units, boundary)));
    if (gap.begin > begin && gap.end < read.units.size() && !goes_on(read.units, begin, gap, abbreviations_)) {
      gaps.push_back(gap);
      begin = gap.end;
    }
  }
  return ranges_between(read, gaps);
}

std::vector<TextRange> SentenceSplitter::split_by_icu_alone(std::string_view text) const {
  const Utf16Text read(text);
  std::vector<Gap> gaps;
  std::size_t begin = skip_spaces(read.units, 0);
  for (const auto boundary : icu_boundaries(read.units, language_)) {
    const auto gap = gap_at(read.units, boundary);
    if (gap.begin > begin && gap.end < read.units.size()) {
      gaps.push_back(gap);
      begin = gap.end;
    }
  }
  return ranges_between(read, gaps);
}

}  // namespace translate

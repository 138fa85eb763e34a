#include "segments/final_stop.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <optional>

#include "core/utf8.h"
#include "segments/characters.h"

namespace translate {

namespace {

constexpr std::u32string_view kStops = U".。．｡।۔።։။។";
constexpr std::u32string_view kOtherMarks = U"!?…:;,！？：；，、؟؛،॥‼⁇⁈⁉⸮";
constexpr std::u32string_view kClosing = U"\"')]}»«”“’›‹」』）】〉》";

bool is_one_of(char32_t c, std::u32string_view characters) { return characters.find(c) != std::u32string_view::npos; }

UScriptCode script_of(char32_t c) {
  UErrorCode status = U_ZERO_ERROR;
  const auto script = uscript_getScript(static_cast<UChar32>(c), &status);
  return U_SUCCESS(status) != 0 ? script : USCRIPT_INVALID_CODE;
}

/// Returns the stop that the script of a text's last letter ends sentences with; nothing if it has none, or if the text
/// has no letter.
std::optional<char32_t> stop_of_script(std::u32string_view text) {
  const auto letter = std::find_if(text.rbegin(), text.rend(), is_letter);
  if (letter == text.rend()) {
    return std::nullopt;
  }
  switch (script_of(*letter)) {
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_TIBETAN:
      return std::nullopt;
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO:
      return U'。';
    case USCRIPT_DEVANAGARI:
    case USCRIPT_BENGALI:
    case USCRIPT_ORIYA:
    case USCRIPT_GURMUKHI:
      return U'।';
    case USCRIPT_ARMENIAN:
      return U'։';
    case USCRIPT_ETHIOPIC:
      return U'።';
    case USCRIPT_MYANMAR:
      return U'။';
    case USCRIPT_KHMER:
      return U'។';
    default:
      return U'.';
  }
}

/// How a text ends.
enum class Ending {
  kStop,     ///< with a stop of its sentence
  kNone,     ///< with a letter, a digit or a closing mark after one: it has no stop
  kComma,    ///< with a comma, a colon or a semicolon: it has no stop either
  kUnclear,  ///< otherwise: other marks, abbreviations, ordinals, stops inside of quotes
};

/// True if the stop at the end of a text may belong to its last word: one or two letters or digits, or letters and
/// stops.
bool may_be_abbreviation(std::u32string_view text) {
  text.remove_suffix(1);
  const auto begin = std::find_if(text.rbegin(), text.rend(), is_unicode_space).base();
  auto word = std::u32string_view(begin, text.end());
  while (!word.empty() && is_one_of(word.front(), U"([{\"'«“‘„")) {
    word.remove_prefix(1);
  }
  const bool is_number = !word.empty() && std::ranges::all_of(word, [](char32_t c) { return is_decimal_digit(c); });
  const bool is_initial = word.size() == 1 && is_letter(word.front());
  return is_initial || (is_number && word.size() <= 2) || word.find(U'.') != std::u32string_view::npos;
}

Ending ending_of(std::u32string_view text) {
  if (text.empty()) {
    return Ending::kUnclear;
  }
  const auto last = text.back();
  if (is_one_of(last, kStops)) {
    const bool is_ellipsis = text.size() > 1 && is_one_of(text[text.size() - 2], kStops);
    return is_ellipsis || (last == U'.' && may_be_abbreviation(text)) ? Ending::kUnclear : Ending::kStop;
  }
  if (is_one_of(last, U",:;，：；、،؛")) {
    return Ending::kComma;
  }
  const auto inner = std::find_if_not(text.rbegin(), text.rend(),
                                      [](char32_t c) { return is_one_of(c, kClosing) || is_unicode_space(c); });
  if (inner == text.rend() || is_one_of(*inner, kStops) || is_one_of(*inner, kOtherMarks)) {
    return Ending::kUnclear;
  }
  return Ending::kNone;
}

std::u32string_view trimmed(std::u32string_view text) {
  while (!text.empty() && is_unicode_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::string with_stop_of(std::string_view source, std::string translation) {
  const auto source_text = decode_utf8(source);
  const auto text = decode_utf8(translation);
  const auto from = trimmed(source_text);
  const auto to = trimmed(text);
  if (!stop_of_script(from)) {
    return translation;
  }
  const auto wanted = ending_of(from);
  const auto found = ending_of(to);
  const auto stop = stop_of_script(to);
  if (!stop) {
    return translation;
  }
  if ((wanted == Ending::kNone || wanted == Ending::kComma) && found == Ending::kStop) {
    const auto without = trimmed(to.substr(0, to.size() - 1));
    return without.empty() ? translation : encode_utf8(without);
  }
  if (wanted == Ending::kStop && found == Ending::kNone) {
    const bool has_space = *stop == U'.' && from.size() > 1 && is_unicode_space(from[from.size() - 2]);
    return encode_utf8(std::u32string(to) + (has_space ? U" " : U"") + *stop);
  }
  return translation;
}

namespace {

constexpr std::u32string_view kQuestionMarks = U"?？؟";
constexpr std::u32string_view kExclamationMarks = U"!！";

/// Returns a mark as the script of a text writes it, whose final mark is `present`.
char32_t mark_in_script(FinalMark mark, std::u32string_view text, char32_t present) {
  const auto stop = stop_of_script(text).value_or(U'.');
  const bool is_wide = stop == U'。' || is_one_of(present, U"。．？！");
  const bool is_arabic = script_of(*std::find_if(text.rbegin(), text.rend(), is_letter)) == USCRIPT_ARABIC;
  switch (mark) {
    case FinalMark::kQuestion:
      return is_wide ? U'？' : is_arabic ? U'؟' : U'?';
    case FinalMark::kExclamation:
      return is_wide ? U'！' : U'!';
    default:
      return stop;
  }
}

}  // namespace

FinalMark final_mark_of(std::string_view text) {
  const auto characters = decode_utf8(text);
  const auto end = trimmed(characters);
  const bool has_letter = std::ranges::any_of(end, is_letter);
  if (!has_letter || end.find_first_of(U"¿¡") != std::u32string_view::npos) {
    return FinalMark::kNone;
  }
  if (ending_of(end) == Ending::kStop) {
    return FinalMark::kStop;
  }
  const auto before = trimmed(end.substr(0, end.size() - 1));
  if (before.empty() || is_one_of(before.back(), kStops) || is_one_of(before.back(), kOtherMarks)) {
    return FinalMark::kNone;
  }
  if (is_one_of(end.back(), kQuestionMarks)) {
    return FinalMark::kQuestion;
  }
  return is_one_of(end.back(), kExclamationMarks) ? FinalMark::kExclamation : FinalMark::kNone;
}

std::string with_final_mark(std::string_view text, FinalMark mark, const std::string& language) {
  const auto characters = decode_utf8(text);
  const auto end = trimmed(characters);
  const auto before = trimmed(end.substr(0, end.size() - 1));
  if (mark == FinalMark::kNone) {
    return encode_utf8(before);
  }
  const auto present = end.back();
  std::u32string result(before);
  const auto space = end.substr(before.size(), end.size() - 1 - before.size());
  const bool is_stop = mark == FinalMark::kStop;
  const bool was_stop = is_one_of(present, kStops);
  const bool is_french = language == "fr" || language.starts_with("fr-");
  if (is_stop == was_stop || !is_french) {
    result += space;
  } else if (!is_stop) {
    result += space.empty() ? U" " : space;
  }
  return encode_utf8(result + mark_in_script(mark, before, present));
}

}  // namespace translate

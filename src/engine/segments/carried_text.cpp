#include "segments/carried_text.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/utf8.h"
#include "segments/characters.h"
#include "text/word_characters.h"

namespace translate {

namespace {

bool is_ascii_letter(char32_t c) { return c < 0x80 && is_letter(c); }

/// A variation selector, a joiner and the like, which belong to the symbol before them.
bool is_ignorable(char32_t c) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

bool contains(std::u32string_view text, std::u32string_view part) {
  return text.find(part) != std::u32string_view::npos;
}

/// Returns the word without the punctuation around it that is no part of a name: quotes, brackets, stops.
std::u32string_view without_punctuation(std::u32string_view word) {
  constexpr std::u32string_view kBefore = U"([{<\"'«“‘„‚¿¡「『（";
  constexpr std::u32string_view kAfter = U")]}>\"'»”’.,;:!?…」』）。，！？";
  while (!word.empty() && kBefore.find(word.front()) != std::u32string_view::npos) {
    word.remove_prefix(1);
  }
  while (!word.empty() && kAfter.find(word.back()) != std::u32string_view::npos) {
    word.remove_suffix(1);
  }
  return word;
}

/// "https://example.org/a", "www.example.org", "mailto:a@b.org"
bool is_url(std::u32string_view word) {
  const auto scheme = word.find(U"://");
  if (scheme != std::u32string_view::npos && scheme > 1) {
    return std::ranges::all_of(word.substr(0, scheme), [](char32_t c) { return c < 0x80 && c > 0x20; });
  }
  return (word.starts_with(U"www.") && word.find(U'.', 4) != std::u32string_view::npos) || word.starts_with(U"mailto:");
}

/// "name@example.org"
bool is_address(std::u32string_view word) {
  const auto at = word.find(U'@');
  return at != std::u32string_view::npos && at > 0 && word.find(U'@', at + 1) == std::u32string_view::npos &&
         word.find(U'.', at + 2) != std::u32string_view::npos;
}

/// "/usr/bin", "./run", "~/notes", "C:\\Windows", "\\\\server\\share"
bool is_path(std::u32string_view word) {
  const bool has_drive = word.size() > 2 && is_ascii_letter(word[0]) && word[1] == U':' && word[2] == U'\\';
  const bool is_absolute = word.size() > 2 && word[0] == U'/' && is_word_character(word[1]);
  return has_drive || is_absolute || word.starts_with(U"./") || word.starts_with(U"../") || word.starts_with(U"~/") ||
         word.starts_with(U"\\\\");
}

/// "README.md", "page.html"
bool is_file_name(std::u32string_view word) {
  constexpr std::array<std::u32string_view, 52> kSuffixes = {
      U"bat", U"bmp", U"bz2", U"c",   U"cfg", U"conf", U"cpp",  U"css",  U"csv",  U"deb",  U"dll", U"doc",  U"docx",
      U"exe", U"gif", U"go",  U"gz",  U"h",   U"htm",  U"html", U"ini",  U"java", U"jpeg", U"jpg", U"js",   U"json",
      U"log", U"md",  U"mp3", U"mp4", U"odp", U"ods",  U"odt",  U"pdf",  U"php",  U"png",  U"ppt", U"pptx", U"py",
      U"rpm", U"rs",  U"sh",  U"so",  U"srt", U"svg",  U"tar",  U"toml", U"tsv",  U"txt",  U"xml", U"yaml", U"zip"};
  const auto dot = word.rfind(U'.');
  if (dot == std::u32string_view::npos || dot == 0) {
    return false;
  }
  const auto suffix = word.substr(dot + 1);
  return std::ranges::find(kSuffixes, suffix) != kSuffixes.end();
}

/// "snake_case", "std::sort", "main()", "--help", "$HOME", "`x`"
bool is_code(std::u32string_view word) {
  for (auto place = word.find(U'_'); place != std::u32string_view::npos; place = word.find(U'_', place + 1)) {
    if (place > 0 && place + 1 < word.size() && is_word_character(word[place - 1]) &&
        is_word_character(word[place + 1])) {
      return true;
    }
  }
  const bool is_quoted = word.size() > 2 && word.front() == U'`' && word.back() == U'`';
  const bool is_option = word.size() > 3 && word.starts_with(U"--") && is_ascii_letter(word[2]);
  const bool is_variable = word.size() > 1 && word.front() == U'$' && is_ascii_letter(word[1]);
  const bool is_call = word.size() > 2 && word.ends_with(U"()");
  const bool is_scoped = word.size() > 4 && contains(word.substr(1, word.size() - 2), U"::");
  return is_quoted || is_option || is_variable || is_call || is_scoped;
}

/// True for a word that a translation keeps as it is.
bool is_carried(std::u32string_view word, const CharacterCoverage& coverage) {
  if (std::ranges::none_of(word, is_letter)) {
    return true;
  }
  const auto name = without_punctuation(word);
  if (is_code(word) || is_url(name) || is_address(name) || is_path(name) || is_file_name(name) || is_code(name)) {
    return true;
  }
  return std::ranges::none_of(word, [&](char32_t c) { return is_letter(c) && (c < 0x80 || coverage.has(c)); });
}

}  // namespace

bool has_nothing_to_translate(std::string_view text, const CharacterCoverage& coverage) {
  const auto characters = decode_utf8(text);
  for (auto at = characters.begin(); at != characters.end();) {
    const auto end = std::find_if(at, characters.end(), is_unicode_space);
    if (at != end && !is_carried(std::u32string_view(at, end), coverage)) {
      return false;
    }
    at = std::find_if_not(end, characters.end(), is_unicode_space);
  }
  return true;
}

namespace {

/// Returns how many of the characters are carried, from the first on.
template <typename Iterator>
Iterator end_of_carried(Iterator begin, Iterator end, const CharacterCoverage& coverage) {
  const auto lacks = [&](char32_t c) { return c >= 0x80 && !is_letter(c) && !coverage.has(c); };
  auto carried = begin;
  for (auto at = begin; at != end; ++at) {
    if (lacks(*at)) {
      carried = std::next(at);
    } else if (!is_unicode_space(*at) && !is_ignorable(*at)) {
      break;
    }
  }
  if (carried == begin) {
    return begin;
  }
  return std::find_if_not(carried, end, [](char32_t c) { return is_unicode_space(c) || is_ignorable(c); });
}

}  // namespace

CarriedEdges carried_edges(std::string_view text, const CharacterCoverage& coverage) {
  if (is_ascii(text)) {
    return {};
  }
  const auto characters = decode_utf8(text);
  const auto begin = end_of_carried(characters.begin(), characters.end(), coverage);
  const auto rest = std::u32string(begin, characters.end());
  const auto end = end_of_carried(rest.rbegin(), rest.rend(), coverage);
  return {.before = encode_utf8(std::u32string(characters.begin(), begin)).size(),
          .after = encode_utf8(std::u32string(end.base(), rest.end())).size()};
}

}  // namespace translate

#include "segments/technical_names.h"

#include <algorithm>
#include <array>

#include "segments/characters.h"
#include "text/word_characters.h"

namespace translate {

namespace {

bool contains(std::u32string_view text, std::u32string_view part) {
  return text.find(part) != std::u32string_view::npos;
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

}  // namespace

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

bool is_technical_name(std::u32string_view word) {
  return is_url(word) || is_address(word) || is_path(word) || is_file_name(word) || is_code(word);
}

}  // namespace translate

#include "segments/term_symbols.h"

#include <fmt/format.h>

#include "core/utf8.h"

namespace translate {

namespace {

constexpr std::string_view kBegin = "<[>";
constexpr std::string_view kTranslation = "<|>";
constexpr std::string_view kEnd = "<]>";

}  // namespace

std::vector<std::string> term_symbols() { return {std::string(kBegin), std::string(kTranslation), std::string(kEnd)}; }

std::string annotated_term(std::string_view source, std::string_view target) {
  // The spaces give both sides the subwords that they have in other texts.
  return fmt::format("{} {}{} {}{}", kBegin, source, kTranslation, target, kEnd);
}

std::string without_annotations(std::string_view text) {
  std::string result;
  while (true) {
    const auto translation = text.find(kTranslation);
    const auto end = translation == std::string_view::npos ? translation : text.find(kEnd, translation);
    if (end == std::string_view::npos) {
      return replace_all(result + std::string(text), fmt::format("{} ", kBegin), "");
    }
    result += text.substr(0, translation);
    text.remove_prefix(end + kEnd.size());
  }
}

}  // namespace translate

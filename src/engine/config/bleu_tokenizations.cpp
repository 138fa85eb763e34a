#include "config/bleu_tokenizations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace translate {

namespace {

/// The other tokenizations of sacreBLEU, and what each of them needs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAbsent = {
    {{"ja-mecab", "the morphological analyser MeCab with a Japanese dictionary"},
     {"ko-mecab", "the morphological analyser MeCab with a Korean dictionary"},
     {"spm", "a SentencePiece model that sacreBLEU downloads"},
     {"flores101", "a SentencePiece model that sacreBLEU downloads"},
     {"flores200", "a SentencePiece model that sacreBLEU downloads"}}};

}  // namespace

std::string absent_tokenization(std::string_view name) {
  const auto* found = std::ranges::find(kAbsent, name, [](const auto& entry) { return entry.first; });
  if (found == kAbsent.end()) {
    return "";
  }
  return fmt::format(
      "BLEU's tokenization \"{}\" needs {}, which these programs do not have: use \"char\" or the metric chrF, or "
      "score finished translations with sacreBLEU itself",
      name, found->second);
}

}  // namespace translate

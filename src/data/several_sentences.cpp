#include "translate/data/several_sentences.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "translate/text/sentence_splitter.h"

namespace translate {
namespace {

constexpr std::size_t kSampledLines = 1000;

std::string text_of(const EncodedCorpus& corpus, const Tokenizer& tokenizer, std::size_t pair) {
  if (corpus.has_text(Side::kSource)) {
    return corpus.text(Side::kSource, pair);
  }
  const auto pieces = corpus.pieces(Side::kSource, pair);
  return tokenizer.decode(std::vector<std::int64_t>(pieces.begin(), pieces.end()));
}

}  // namespace

double share_of_lines_with_several_sentences(const EncodedCorpus& corpus, const Tokenizer& source,
                                             const std::string& language) {
  const SentenceSplitter splitter(language);
  const auto lines = std::min(corpus.size(), kSampledLines);
  std::size_t several = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    several += splitter.split(text_of(corpus, source, i * corpus.size() / lines)).size() > 1 ? 1 : 0;
  }
  return lines == 0 ? 0.0 : static_cast<double>(several) / static_cast<double>(lines);
}

}  // namespace translate

#include "data/text_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/logging.h"
#include "core/random_numbers.h"
#include "core/utf8.h"
#include "modifiers/pair_modifiers.h"
#include "text/sentence_splitter.h"

namespace translate::trainer {

namespace {

/// True if a tokenizer can be built from a line. SentencePiece ends the program at a word of more than 65,535
/// characters, counted after normalisation, which makes at most 6 characters from a byte.
bool serves(std::string_view line) {
  constexpr std::size_t kLongestWord = 65'535 / 6;
  if (line.size() > kSegmentedAtOnce) {
    return false;
  }
  while (line.size() > kLongestWord) {
    const auto space = line.find(' ');
    if (std::min(space, line.size()) > kLongestWord) {
      return false;
    }
    line.remove_prefix(space + 1);
  }
  return true;
}

}  // namespace

std::uint64_t TextSample::hash(std::uint64_t number) { return mix_seeds({number}); }

void TextSample::add(TextPair pair) {
  const std::uint64_t number = seen_++;
  if (!wanted(number) || !serves(pair.source) || !serves(pair.target)) {
    return;
  }
  bytes_ += pair.source.size() + pair.target.size();
  numbers_.push_back(number);
  text_.source.push_back(std::move(pair.source));
  text_.target.push_back(std::move(pair.target));
  while (numbers_.size() > limits_.pairs || (bytes_ > limits_.bytes && numbers_.size() > 1)) {
    halve();
  }
}

void TextSample::halve() {
  highest_ /= 2;
  std::size_t kept = 0;
  bytes_ = 0;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (!wanted(numbers_[i])) {
      continue;
    }
    bytes_ += text_.source[i].size() + text_.target[i].size();
    if (kept != i) {
      numbers_[kept] = numbers_[i];
      text_.source[kept] = std::move(text_.source[i]);
      text_.target[kept] = std::move(text_.target[i]);
    }
    ++kept;
  }
  numbers_.resize(kept);
  text_.source.resize(kept);
  text_.target.resize(kept);
}

TokenizerText TextSample::take() {
  numbers_.clear();
  bytes_ = 0;
  return std::exchange(text_, {});
}

TokenizerText read_text_sample(SelectedPairs& pairs, const SampleLimits& limits) {
  TextSample sample(limits);
  for (TextPair pair; pairs.next(pair);) {
    sample.add(std::move(pair));
  }
  TokenizerText text = sample.take();
  if (text.source.size() < sample.seen()) {
    log_info(
        fmt::format("tokenizer: it is trained on a sample of {} of the {} pairs", text.source.size(), sample.seen()));
  }
  return text;
}

namespace {

constexpr std::size_t kSampledLines = 1000;

std::string text_of(const EncodedCorpus& corpus, const Tokenizer& tokenizer, std::size_t pair) {
  if (corpus.has_text(Side::kSource)) {
    return corpus.text(Side::kSource, pair);
  }
  const auto subwords = corpus.subwords(Side::kSource, pair);
  return tokenizer.decode(std::vector<std::int64_t>(subwords.begin(), subwords.end()));
}

}  // namespace

void modify_sample(TokenizerText& text, const ModifierOptions& options, const LanguageCodes& languages) {
  auto chosen = options;
  chosen.typos = 0.0;
  chosen.joined = 0.0;
  chosen.placeholders = 0.0;
  chosen.keep = 0.0;
  for (std::size_t i = 0; i < text.source.size(); ++i) {
    const auto draw = draw_modifiers(chosen, mix_seeds({i}));
    if (draw.is_empty()) {
      continue;
    }
    if (auto pair = modified_pair({.source = text.source[i], .target = text.target[i]}, draw, chosen,
                                  {.languages = languages})) {
      text.source[i] = std::move(pair->source);
      text.target[i] = std::move(pair->target);
    }
  }
}

double share_of_unknown_subwords(const EncodedCorpus& corpus, Side side, const Tokenizer& tokenizer) {
  const auto unk = tokenizer.special_tokens().unk;
  const auto sentences = std::min(corpus.size(), kSampledLines);
  std::ptrdiff_t unknown = 0;
  std::ptrdiff_t all = 0;
  for (std::size_t i = 0; i < sentences; ++i) {
    const auto subwords = corpus.subwords(side, i * corpus.size() / sentences);
    unknown += std::ranges::count(subwords, unk);
    all += std::ssize(subwords);
  }
  return all == 0 ? 0.0 : static_cast<double>(unknown) / static_cast<double>(all);
}

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

}  // namespace translate::trainer

#include "translate/data/encoded_corpus.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <future>

#include "translate/text/sequence_ids.h"

namespace translate {

void EncodedText::append(std::span<const std::int32_t> pieces) {
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  begins_.push_back(pieces_.size());
}

void EncodedText::append(const EncodedText& other) {
  for (std::size_t index = 0; index < other.size(); ++index) append(other[index]);
}

std::size_t EncodedText::longest() const {
  std::size_t longest = 0;
  for (std::size_t index = 1; index < size(); ++index) {
    if (length(index) > length(longest)) longest = index;
  }
  return longest;
}

EncodedText encode_text(const Tokenizer& tokenizer, std::span<const std::string> sentences) {
  constexpr std::size_t kSentencesWorthAThread = 500;
  const std::size_t wanted = sentences.size() / kSentencesWorthAThread;
  const std::size_t threads = std::clamp<std::size_t>(wanted, 1, static_cast<std::size_t>(at::get_num_threads()));
  const auto encode_part = [&](std::size_t part) {
    EncodedText encoded;
    const std::size_t begin = sentences.size() * part / threads;
    const std::size_t end = sentences.size() * (part + 1) / threads;
    for (std::size_t i = begin; i < end; ++i) encoded.append(compact_ids(tokenizer.encode(sentences[i])));
    return encoded;
  };
  std::vector<std::future<EncodedText>> parts;
  for (std::size_t part = 1; part < threads; ++part) {
    parts.push_back(std::async(std::launch::async, encode_part, part));
  }
  EncodedText encoded = encode_part(0);
  for (auto& part : parts) encoded.append(part.get());
  return encoded;
}

EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const TokenizerPair& tokenizers) {
  EncodedCorpus encoded;
  encoded.source = encode_text(tokenizers.source, corpus.source);
  encoded.target = encode_text(tokenizers.target, corpus.target);
  encoded.origin = corpus.origin;
  return encoded;
}

LengthFilterReport remove_by_length(EncodedCorpus& corpus, const LengthLimits& limits) {
  LengthFilterReport report;
  EncodedCorpus kept;
  for (std::size_t index = 0; index < corpus.size(); ++index) {
    const auto [shorter, longer] = std::minmax({corpus.source.length(index), corpus.target.length(index)});
    const PairOrigin& origin = corpus.origin[index];
    if (shorter == 0) {
      report.empty.add(origin);
    } else if (longer > limits.max_length) {
      report.too_long.add(origin);
    } else if (limits.max_length_ratio > 0 &&
               static_cast<double>(longer) > limits.max_length_ratio * static_cast<double>(shorter)) {
      report.uneven.add(origin);
    } else {
      kept.source.append(corpus.source[index]);
      kept.target.append(corpus.target[index]);
      kept.origin.push_back(origin);
    }
  }
  corpus = std::move(kept);
  return report;
}

}  // namespace translate

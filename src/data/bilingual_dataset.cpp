#include "translate/data/bilingual_dataset.h"

#include <string_view>
#include <utility>

#include "translate/data/seeded_random.h"
#include "translate/text/sequence_ids.h"

namespace translate {

BilingualDataset::BilingualDataset(std::shared_ptr<const EncodedCorpus> corpus, TokenizerPair tokenizers,
                                   std::optional<Resampling> resampling)
    : corpus_(std::move(corpus)), tokenizers_(std::move(tokenizers)), resampling_(resampling) {}

Example BilingualDataset::get(std::size_t index) { return std::move(get_batch({index}).front()); }

std::vector<Example> BilingualDataset::get_batch(c10::ArrayRef<std::size_t> indices) {
  const auto source = pieces_of_side(indices, Side::kSource);
  const auto target = pieces_of_side(indices, Side::kTarget);
  const SpecialTokens& source_special = tokenizers_.source.special_tokens();
  const SpecialTokens& target_special = tokenizers_.target.special_tokens();
  std::vector<Example> examples;
  examples.reserve(indices.size());
  for (std::size_t row = 0; row < indices.size(); ++row) {
    examples.push_back({.index = static_cast<std::int64_t>(indices[row]),
                        .encoder_input = encoder_input_ids(source[row], source_special),
                        .decoder_input = decoder_input_ids(target[row], target_special),
                        .label = label_ids(target[row], target_special)});
  }
  return examples;
}

std::vector<std::vector<std::int32_t>> BilingualDataset::pieces_of_side(c10::ArrayRef<std::size_t> indices,
                                                                        Side side) const {
  const bool target = side == Side::kTarget;
  std::vector<std::vector<std::int32_t>> pieces;
  pieces.reserve(indices.size());
  if (!resampling_ || !(target ? resampling_->options.target : resampling_->options.source)) {
    for (const std::size_t index : indices) pieces.push_back(corpus_->pieces(side, index));
    return pieces;
  }
  std::vector<std::string_view> sentences;
  std::uint64_t seed = mix_seeds({resampling_->seed, resampling_->epoch, target ? 1U : 0U});
  for (const std::size_t index : indices) {
    sentences.push_back(corpus_->text(side, index));
    seed = mix_seeds({seed, index});
  }
  const Tokenizer& tokenizer = target ? tokenizers_.target : tokenizers_.source;
  const SampleOptions options{.alpha = resampling_->options.alpha, .nbest = resampling_->options.nbest};
  const auto drawn = tokenizer.encode_sampled(sentences, options, seed);
  for (std::size_t row = 0; row < indices.size(); ++row) {
    const bool too_long = std::ssize(drawn[row]) > resampling_->max_length;
    pieces.push_back(too_long ? corpus_->pieces(side, indices[row]) : compact_ids(drawn[row]));
  }
  return pieces;
}

}  // namespace translate

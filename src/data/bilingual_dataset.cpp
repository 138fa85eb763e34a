#include "translate/data/bilingual_dataset.h"

#include <string>
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
  std::vector<std::vector<std::int32_t>> source;
  std::vector<std::vector<std::int32_t>> target;
  for (const std::size_t index : indices) {
    PairPieces pieces = corpus_->unchecked_pieces(index);
    source.push_back(std::move(pieces.source));
    target.push_back(std::move(pieces.target));
  }
  corpus_->check_unchanged();
  resample(indices, Side::kSource, source);
  resample(indices, Side::kTarget, target);
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

void BilingualDataset::resample(c10::ArrayRef<std::size_t> indices, Side side,
                                std::vector<std::vector<std::int32_t>>& pieces) const {
  const bool target = side == Side::kTarget;
  if (!resampling_ || !(target ? resampling_->options.target : resampling_->options.source)) return;
  std::vector<std::string> texts;
  std::uint64_t seed = mix_seeds({resampling_->seed, resampling_->epoch, target ? 1U : 0U});
  for (const std::size_t index : indices) {
    texts.push_back(corpus_->text(side, index));
    seed = mix_seeds({seed, index});
  }
  const std::vector<std::string_view> sentences(texts.begin(), texts.end());
  const Tokenizer& tokenizer = target ? tokenizers_.target : tokenizers_.source;
  const SampleOptions options{.alpha = resampling_->options.alpha, .nbest = resampling_->options.nbest};
  const auto drawn = tokenizer.encode_sampled(sentences, options, seed);
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (std::ssize(drawn[row]) <= resampling_->max_length) pieces[row] = compact_ids(drawn[row]);
  }
}

}  // namespace translate

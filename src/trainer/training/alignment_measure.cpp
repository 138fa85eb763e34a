#include "training/alignment_measure.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "alignment/aligner_training.h"
#include "modules/execution_context.h"
#include "training/validator.h"

namespace translate::trainer {

namespace {

constexpr std::size_t kTrainingPairs = 20'000;  // for the aligner: some seconds
constexpr std::size_t kValidationPairs = 256;
constexpr std::size_t kLongestPair = 128;  // subwords a side
constexpr std::size_t kPairsABatch = 16;

/// Returns the subwords of some pairs of a corpus, evenly spaced.
std::vector<PairSubwords> some_pairs(const EncodedCorpus& corpus, std::size_t most) {
  std::vector<PairSubwords> pairs;
  const auto stride = std::max<std::size_t>((corpus.size() + most - 1) / most, 1);
  for (std::size_t index = 0; index < corpus.size(); index += stride) {
    auto subwords = corpus.unchecked_subwords(index);
    const auto sources = subwords.source.size();
    const auto targets = subwords.target.size();
    if (std::min(sources, targets) > 0 && std::max(sources, targets) <= kLongestPair) {
      pairs.push_back(std::move(subwords));
    }
  }
  corpus.check_unchanged();
  return pairs;
}

/// Returns, for each label of a batch, the subwords of the source that it is linked to: (B, T, S), boolean.
at::Tensor link_matrix(const Batch& batch) {
  const auto width = batch.source_length();
  const auto matrix = at::zeros({batch.sentences() * batch.target_length() * width}, at::kBool);
  if (batch.links) {
    const auto rows = batch.decoder_input.sentences->padded_indices().index_select(0, batch.links->rows);
    matrix.index_fill_(/*dim=*/0, rows * width + batch.links->columns, true);
  }
  return matrix.view({batch.sentences(), batch.target_length(), width});
}

/// Marks what is no subword of a sentence: its end, what follows, and with `has_start` its first position.
/// (B, 1, 1, S), boolean.
at::Tensor outside_of(const UnpaddedLayout& sentences, bool has_start) {
  const auto outside = at::ones({sentences.sentences(), 1, 1, sentences.padded_length()}, at::kBool);
  for (std::int64_t i = 0; i < sentences.sentences(); ++i) {
    const std::int64_t begin = has_start ? 1 : 0;
    outside[i].narrow(/*dim=*/2, begin, sentences.length(i) - 1 - begin).fill_(false);
  }
  return outside;
}

/// Adds up links for every attention of a model.
class AgreementCount {
 public:
  explicit AgreementCount(const ModelOptions& options) : heads_(options.num_heads) {
    for (auto* hits : {&hits_, &hits_of_input_}) {
      for (std::int64_t layer = 0; layer < options.decoder_layers; ++layer) {
        hits->push_back(at::zeros({heads_ + 1}, at::kLong));
      }
    }
  }

  /// `weights`: of a layer's cross attention, (B, heads, T, S). `links`: (B, T, S).
  void add(std::int64_t layer, const at::Tensor& weights, const at::Tensor& links, const at::Tensor& outside) {
    const auto all = weights.to(at::kCPU, at::kFloat);
    const auto with_mean = at::cat({all, all.mean(/*dim=*/1, /*keepdim=*/true)}, /*dim=*/1);  // (B, heads + 1, T, S)
    const auto best = with_mean.masked_fill(outside, -1.0).argmax(/*dim=*/-1, /*keepdim=*/true);
    const auto hits = [&](const at::Tensor& of_rows) {
      return of_rows.unsqueeze(1).expand_as(with_mean).gather(/*dim=*/-1, best).sum({0, 2, 3});  // (heads + 1)
    };
    hits_[static_cast<std::size_t>(layer)] += hits(links);
    // The label of a row is the input of the next one. The last row's label is eos, which has no links.
    hits_of_input_[static_cast<std::size_t>(layer)] += hits(links.roll(/*shifts=*/1, /*dims=*/1));
  }

  /// `labels`: those that the aligner has linked; `links`: its links.
  [[nodiscard]] std::vector<MeasuredAttention> errors(std::int64_t labels, std::int64_t links) const {
    const auto all = static_cast<double>(std::max<std::int64_t>(labels + links, 1));
    std::vector<MeasuredAttention> measured;
    for (const bool of_input : {false, true}) {
      const auto& hits = of_input ? hits_of_input_ : hits_;
      for (std::size_t layer = 0; layer < hits.size(); ++layer) {
        for (std::int64_t head = 0; head <= heads_; ++head) {
          const bool is_mean = head == heads_;
          measured.push_back({.attention = {.layer = static_cast<std::int64_t>(layer),
                                            .first_head = is_mean ? 0 : head,
                                            .heads = is_mean ? heads_ : 1,
                                            .of_input = of_input},
                              .error_rate = 1.0 - 2.0 * hits[layer][head].item<double>() / all});
        }
      }
    }
    return measured;
  }

 private:
  std::int64_t heads_;
  // Of each layer, (heads + 1): each head, then their mean.
  std::vector<at::Tensor> hits_;
  std::vector<at::Tensor> hits_of_input_;
};

}  // namespace

AlignmentMeasure::AlignmentMeasure(const TrainingData& data)
    : AlignmentMeasure(data.tokenizers, some_pairs(*data.validation, kValidationPairs),
                       some_pairs(*data.train, kTrainingPairs)) {}

AlignmentMeasure::AlignmentMeasure(const TokenizerPair& tokenizers, const std::vector<PairSubwords>& measured,
                                   const std::vector<PairSubwords>& further)
    : has_start_(tokenizers.source.special_tokens().source_sos) {
  const auto aligner = train_aligner(measured.size() + further.size(), [&](std::size_t i) {
    const auto& pair = i < measured.size() ? measured[i] : further[i - measured.size()];
    return IdPair{.source = pair.source, .target = pair.target};
  });
  std::vector<Example> examples;
  for (const auto& [source, target] : measured) {
    examples.push_back({.encoder_input = encoder_input_ids(source, tokenizers.source.special_tokens()),
                        .decoder_input = decoder_input_ids(target, tokenizers.target.special_tokens()),
                        .label = label_ids(target, tokenizers.target.special_tokens())});
    examples.back().set_links(aligner.align(source, target), source.size());
    if (examples.size() == kPairsABatch) {
      batches_.push_back(collate(examples));
      examples.clear();
    }
  }
  if (!examples.empty()) {
    batches_.push_back(collate(examples));
  }
}

std::vector<MeasuredAttention> AlignmentMeasure::measure(Transformer model, const c10::Device& device) const {
  const EvaluationMode evaluation(model);
  AgreementCount count(model->options());
  std::int64_t labels = 0;
  std::int64_t links = 0;
  for (const auto& whole : batches_) {
    const auto batch = within_positions(whole, model->options());
    const auto matrix = link_matrix(batch);
    const auto outside = outside_of(*batch.encoder_input.sentences, has_start_);
    const auto see = [&](const std::string& stage, const at::Tensor& value) {
      for (std::int64_t layer = 0; layer < model->options().decoder_layers; ++layer) {
        if (stage == fmt::format("decoder.layers.{}.cross_attention_block.weights", layer)) {
          count.add(layer, value, matrix, outside);
        }
      }
    };
    (void)model->forward_features(batch.encoder_input.padded(model->sizes().source_pad).to(device),
                                  batch.decoder_input.padded(model->sizes().target_pad).to(device),
                                  ExecutionContext(device, Precision::kFp32).observed_by(see));
    labels += matrix.any(/*dim=*/-1).sum().item<std::int64_t>();
    links += matrix.sum().item<std::int64_t>();
  }
  return count.errors(labels, links);
}

MeasuredAttention best_of(const std::vector<MeasuredAttention>& measured) {
  return *std::ranges::min_element(measured, {}, &MeasuredAttention::error_rate);
}

void set_best_attention(const std::vector<MeasuredAttention>& measured, ModelOptions& options) {
  auto predicting = measured;
  std::erase_if(predicting, [](const MeasuredAttention& one) { return one.attention.of_input; });
  options.input_alignment_layer.reset();
  options.input_alignment_head.reset();
  set_aligning_attention(options, best_of(predicting).attention);
  set_aligning_attention(options, best_of(measured).attention);
}

}  // namespace translate::trainer

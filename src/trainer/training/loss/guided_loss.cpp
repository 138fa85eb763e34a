#include "training/loss/guided_loss.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace translate::trainer {

namespace {

/// Returns one head of a projection of x: (rows, d_k).
at::Tensor project_head(const torch::nn::Linear& map, const at::Tensor& x, std::int64_t head, std::int64_t width) {
  const auto rows = [&](const at::Tensor& tensor) { return tensor.narrow(/*dim=*/0, head * width, width); };
  const auto flat = x.to(at::kFloat).reshape({-1, x.size(-1)});
  return at::linear(flat, rows(map->weight), map->bias.defined() ? rows(map->bias) : at::Tensor());
}

/// Returns rows as a padded batch, (batch, length, d_k), with zeros at padding. They are padded already if `is_padded`.
at::Tensor padded_rows(const at::Tensor& rows, const UnpaddedLayout& sentences, bool is_padded) {
  const std::int64_t count = sentences.sentences() * sentences.padded_length();
  const auto all =
      is_padded
          ? rows
          : at::zeros({count, rows.size(1)}, rows.options()).index_copy(/*dim=*/0, sentences.padded_indices(), rows);
  return all.view({sentences.sentences(), -1, rows.size(1)});
}

/// The keys that are padding: (batch, 1, S), boolean.
at::Tensor padding_of(const UnpaddedLayout& sentences) {
  const auto& indices = sentences.padded_indices();
  const auto padding =
      at::ones({sentences.sentences() * sentences.padded_length()}, indices.options().dtype(at::kBool));
  return padding.index_fill_(/*dim=*/0, indices, false).view({sentences.sentences(), 1, -1});
}

/// Returns the weights of one head before dropout, (batch, T, S), in single precision.
at::Tensor head_weights(const CrossAttentionInput& input, const MultiHeadAttentionBlock& block, std::int64_t head,
                        const UnpaddedLayout& targets, const UnpaddedLayout& sources) {
  const auto width = input.query.size(-1) / block->num_heads();
  const bool is_padded = input.query.dim() == 3;
  const auto query = padded_rows(project_head(block->w_q, input.query, head, width), targets, is_padded);
  const auto key = padded_rows(project_head(block->w_k, input.memory, head, width), sources, is_padded);
  const auto scores = at::bmm(query, key.transpose(1, 2)) / std::sqrt(static_cast<double>(width));  // (batch, T, S)
  return scores.masked_fill(padding_of(sources), -std::numeric_limits<double>::infinity()).softmax(/*dim=*/-1);
}

}  // namespace

at::Tensor guided_loss(const CrossAttentionInput& input, const MultiHeadAttentionBlock& block,
                       const AligningAttention& head, const Batch& batch) {
  constexpr double kSmallest = 1e-6;  // as Marian: a link of no attention costs about 14 nats
  if (!batch.links || !input.query.defined() || batch.links->rows.size(0) == 0) {
    return {};
  }
  const auto& links = *batch.links;
  const auto& once = *batch.decoder_input.sentences;
  const auto rows = input.query.dim() == 3 ? input.query.size(0) * input.query.size(1) : input.query.size(0);
  const auto whole = input.query.dim() == 3 ? once.sentences() * once.padded_length() : once.rows();
  const auto passes = rows / whole;
  const auto targets = passes == 2 ? once.twice() : once;
  const auto& source = *batch.encoder_input.sentences;
  const auto sources = passes == 2 ? source.followed_by(*batch.source_of_second_pass().sentences) : source;
  const auto weights = head_weights(input, block, head.first_head, targets, sources);
  // The place of each link among the weights of the first pass; those of the second one follow.
  const auto rows_of_links = head.of_input ? links.rows + 1 : links.rows;  // a sentence's last label is eos
  const auto places = once.padded_indices().index_select(0, rows_of_links) * weights.size(2) + links.columns;  // (P)
  const auto guided = batch.second_source ? 1 : passes;  // the links are those of the first segmentation
  const auto attention =
      weights.reshape({passes, -1}).narrow(0, 0, guided).index_select(/*dim=*/1, places);  // (guided, P)
  return -(links.values * (attention + kSmallest).log()).sum() / static_cast<double>(guided);
}

}  // namespace translate::trainer

#include "translate/inference/source_encoder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "translate/inference/activation_rows.h"
#include "translate/inference/key_value_rows.h"
#include "translate/kernels/attention_kernel.h"
#include "translate/kernels/parallel.h"

namespace translate {
namespace {

using Sources = std::span<const std::span<const std::int64_t>>;

/// Sentences [begin, end) of a call, which go through all layers together.
struct Group {
  std::size_t begin;
  std::size_t end;
};

std::vector<Group> groups_of(Sources sources) {
  std::vector<Group> groups;
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto length = std::ssize(sources[i]);
    if (groups.empty() || rows + length > kRowsAtATime) {
      groups.push_back({i, i});
      rows = 0;
    }
    rows += length;
    groups.back().end = i + 1;
  }
  return groups;
}

/// A group on its way through the encoder.
class GroupEncoder {
 public:
  GroupEncoder(const ModelWeights& weights, Sources sources)
      : weights_(weights),
        sources_(sources),
        width_(weights.options.d_model),
        kept_(weights.options.d_model, weights.format),
        x_(weights.options) {
    for (const auto& source : sources) {
      ids_.insert(ids_.end(), source.begin(), source.end());
      positions_.resize(ids_.size());
      std::iota(positions_.end() - std::ssize(source), positions_.end(), std::int64_t{0});
    }
  }

  void run(const PositionVectors& positions, std::span<EncodedSource> encoded) {
    make_room(encoded);
    x_.resize(std::ssize(ids_));  // after what stays, which this would leave holes between
    x_.embed(weights_.source_embedding, ids_.data(), positions, positions_.data());
    for (const auto& layer : weights_.encoder) {
      x_.add_sublayer(layer.self.norm, [&](const float* from, float* to) { attend(layer.self, from, to); });
      x_.add_feed_forward(layer.feed_forward);
    }
    x_.finish(weights_.encoder_norm);
    for (std::size_t i = 0; i < weights_.decoder.size(); ++i) {
      weights_.decoder[i].cross.key_value.apply(x_.rows(), {x_.values(), width_}, {x_.projected(), 2 * width_});
      const float* from = x_.projected();
      for (const auto& source : encoded) {
        kept_.keep(source.length, from, 2 * width_,
                   source.key_values->data() + static_cast<std::int64_t>(i) * source.length * kept_.size());
        from += source.length * 2 * width_;
      }
    }
  }

 private:
  /// Each sentence gets memory of its own, which goes when the sentence ends, whatever becomes of the rest of the
  /// group.
  void make_room(std::span<EncodedSource> encoded) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto length = std::ssize(sources_[i]);
      auto key_values = std::make_shared<FloatBuffer>();
      (void)key_values->take(std::ssize(weights_.decoder) * length * kept_.size());
      encoded[i] = {.length = length, .key_values = std::move(key_values)};
    }
  }

  void attend(const SelfAttentionWeights& weights, const float* from, float* to) {
    const auto stride = 3 * width_;
    weights.query_key_value.apply(x_.rows(), {from, width_}, {x_.projected(), stride});
    const float* row = x_.projected();
    float* joined = x_.joined();
    for (const auto& source : sources_) {
      const auto length = std::ssize(source);
      const auto heads = weights_.options.num_heads;
      attention_forward({.queries = length, .keys = length, .heads = heads, .head_width = width_ / heads},
                        {{row, stride}, {row + width_, stride}, {row + 2 * width_, stride}}, {}, {joined, width_});
      row += length * stride;
      joined += length * width_;
    }
    weights.output.apply(x_.rows(), {x_.joined(), width_}, {to, width_});
  }

  const ModelWeights& weights_;
  Sources sources_;
  std::int64_t width_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int64_t> positions_;
  KeyValueRows kept_;
  ActivationRows x_;
};

}  // namespace

std::vector<EncodedSource> encode_sources(const ModelWeights& weights, Sources sources,
                                          const PositionVectors& positions) {
  std::vector<EncodedSource> encoded(sources.size());
  const auto groups = groups_of(sources);
  parallel_chunks(std::ssize(groups), [&](std::int64_t index) {
    const auto [begin, end] = groups[static_cast<std::size_t>(index)];
    GroupEncoder(weights, sources.subspan(begin, end - begin))
        .run(positions, std::span(encoded).subspan(begin, end - begin));
  });
  return encoded;
}

}  // namespace translate

#include "inference/packed_model.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/threads.h"
#include "inference/activation_rows.h"
#include "inference/attention_cache.h"
#include "inference/decoding_session.h"
#include "kernels/attention_kernel.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/recurrence.h"
#include "model/sublayers.h"

namespace translate {

namespace {

/// Sentences [begin, end) of a call, which go through all layers together.
struct Group {
  std::size_t begin;
  std::size_t end;
};

std::vector<Group> groups_of(IdSpans sources) {
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
  GroupEncoder(const ModelWeights& weights, IdSpans sources)
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
    x_.resize(std::ssize(ids_));  // allocated after the buffers that stay, since it would leave holes between them
    x_.embed(weights_.source_embedding, ids_.data(), positions, positions_.data());
    for (const auto& layer : weights_.encoder) {
      for_each_sublayer(kEncoderSublayers, layer.self, /*cross_attention=*/nullptr, layer.feed_forward,
                        [&](std::size_t /*number*/, const auto& sublayer) { add(sublayer); });
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
  /// Each sentence gets its own memory, which is freed when the sentence ends, independent of the rest of the group.
  void make_room(std::span<EncodedSource> encoded) const {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto length = std::ssize(sources_[i]);
      auto key_values = std::make_shared<FloatBuffer>();
      (void)key_values->take(std::ssize(weights_.decoder) * length * kept_.size());
      encoded[i] = {.length = length, .key_values = std::move(key_values)};
    }
  }

  void add(const SelfAttentionWeights& weights) {
    x_.add_sublayer(weights.norm, [&](const float* from, float* to) { attend(weights, from, to); });
  }
  void add(const FeedForwardWeights& weights) { x_.add_feed_forward(weights); }

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
  IdSpans sources_;
  std::int64_t width_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int64_t> positions_;
  KeyValueRows kept_;
  ActivationRows x_;
};

}  // namespace

std::vector<EncodedSource> encode_sources(const ModelWeights& weights, IdSpans sources,
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

PackedSession::PackedSession(const ModelWeights& weights, const LazyOutputTable& outputs)
    : weights_(weights),
      outputs_(outputs),
      width_(weights.options.d_model),
      given_{{.attention = predicting_attention(weights.options)}},
      key_values_(width_, weights.format),
      source_positions_(weights.source_positions),
      target_positions_(weights.target_positions),
      x_(weights.options) {
  if (weights.options.decoder == DecoderKind::kSsru) {
    states_.emplace(weights.options.decoder_layers, width_);
  } else {
    cache_.emplace(weights.options.decoder_layers, key_values_.size());
  }
  if (const auto aligning = aligning_attention(weights.options); aligning.of_input) {
    given_.push_back({.attention = aligning});
  }
}

void PackedSession::add(IdSpans sources, IdSpans shortlists) {
  std::int64_t longest = 0;
  for (const auto& source : sources) {
    longest = std::max<std::int64_t>(longest, std::ssize(source));
  }
  source_positions_.reach(longest);
  auto encoded = encode_sources(weights_, sources, source_positions_);
  if (!shortlists.empty()) {
    list_outputs(shortlists, encoded);
  }
  std::ranges::move(encoded, std::back_inserter(sources_));
  lengths_.resize(sources_.size(), 0);
  if (states_) {
    states_->add(std::ssize(sources));
  } else {
    cache_->add(std::ssize(sources));
  }
}

void PackedSession::list_outputs(IdSpans shortlists, std::span<EncodedSource> encoded) const {
  const auto& outputs = outputs_.get();
  parallel_chunks(std::ssize(shortlists), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    if (const auto& list = shortlists[i]; !list.empty()) {
      encoded[i].listed = std::make_shared<const ListedProjection>(
          ListedProjection{.subwords = {list.begin(), list.end()}, .layer = outputs.layer_of(list)});
    }
  });
}

void PackedSession::select(std::span<const std::int64_t> parents) {
  next_sources_.clear();
  next_lengths_.clear();
  for (const auto parent : parents) {
    next_sources_.push_back(sources_[static_cast<std::size_t>(parent)]);
    next_lengths_.push_back(lengths_[static_cast<std::size_t>(parent)]);
  }
  std::swap(sources_, next_sources_);
  std::swap(lengths_, next_lengths_);
  next_sources_.clear();
  if (states_) {
    states_->select(parents);
  } else {
    cache_->select(parents);
  }
}

void PackedSession::step(std::span<const std::int64_t> subwords, const Reader& read) {
  if (cache_) {
    cache_->extend();
  }
  for (auto& length : lengths_) {
    ++length;
  }
  // Groups of about the same size, in whole tiles.
  const auto groups = std::max<std::int64_t>((rows() + kRowsAtATime - 1) / kRowsAtATime, 1);
  const auto size = ((rows() + groups - 1) / groups + kTileRows - 1) / kTileRows * kTileRows;
  for (std::int64_t first = 0; first < rows(); first += size) {
    const auto count = std::min(size, rows() - first);
    step_rows(first, subwords.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), read);
  }
}

void PackedSession::step_rows(std::int64_t first, std::span<const std::int64_t> subwords, const Reader& read) {
  const auto count = std::ssize(subwords);
  positions_.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    positions_.push_back(lengths_[static_cast<std::size_t>(first + i)] - 1);
  }
  target_positions_.reach(std::ranges::max(positions_) + 1);
  x_.resize(count);
  x_.embed(weights_.target_embedding, subwords.data(), target_positions_, positions_.data());
  for (std::size_t i = 0; i < weights_.decoder.size(); ++i) {
    const auto& layer = weights_.decoder[i];
    for_each_sublayer(
        decoder_sublayers(weights_.options.decoder),
        [&] {
          if (states_) {
            x_.add_sublayer(layer.recurrent_unit.norm,
                            [&](const float* from, float* to) { run_recurrent_unit(first, i, from, to); });
          } else {
            x_.add_sublayer(layer.self.norm,
                            [&](const float* from, float* to) { attend_to_target(first, i, from, to); });
          }
        },
        [&] {
          x_.add_sublayer(layer.cross.norm,
                          [&](const float* from, float* to) { attend_to_source(first, i, from, to); });
        },
        [&] { x_.add_feed_forward(layer.feed_forward); },
        [](std::size_t /*number*/, const auto& add_sublayer) { add_sublayer(); });
  }
  x_.finish(weights_.decoder_norm);
  project(first, read);
}

/// Computes the logits of the current rows, of those with the same list at a time, and has them read.
void PackedSession::project(std::int64_t first, const Reader& read) {
  const auto listed_of = [&](std::int64_t row) { return sources_[static_cast<std::size_t>(first + row)].listed.get(); };
  for (std::int64_t begin = 0, end = 0; begin < x_.rows(); begin = end) {
    const auto* const listed = listed_of(begin);
    while (end < x_.rows() && listed_of(end) == listed) {
      ++end;
    }
    const auto& layer = listed == nullptr ? weights_.projection : listed->layer;
    const auto width = layer.outputs();
    float* logits = logits_.take((end - begin) * width);
    layer.apply(end - begin, {x_.values() + begin * width_, width_}, {logits, width});
    for (auto i = begin; i < end; ++i, logits += width) {
      NextSubword next;
      next.logits = {{logits, static_cast<std::size_t>(width)},
                     listed == nullptr ? std::span<const std::int64_t>() : listed->subwords};
      if (gives_attention_) {
        next.predicting = given_.front().weights[static_cast<std::size_t>(i)];
        next.attention = given_.back().weights[static_cast<std::size_t>(i)];
        next.is_of_input = given_.back().attention.of_input;
      }
      read(first + i, next);
    }
  }
}

void PackedSession::run_recurrent_unit(std::int64_t first, std::size_t layer, const float* from, float* to) {
  const auto stride = 2 * width_;
  weights_.decoder[layer].recurrent_unit.maps.apply(x_.rows(), {from, width_}, {x_.projected(), stride});
  for (std::int64_t i = 0; i < x_.rows(); ++i) {
    float* state = states_->state(layer, first + i);
    recurrence_step(width_, x_.projected() + i * stride, state);
    recurrence_output(state, width_, to + i * width_);
  }
}

void PackedSession::attend_to_target(std::int64_t first, std::size_t layer, const float* from, float* to) {
  const auto& weights = weights_.decoder[layer].self;
  const auto stride = 3 * width_;
  weights.query_key_value.apply(x_.rows(), {from, width_}, {x_.projected(), stride});
  const HeadShape shape{weights_.options.num_heads, width_ / weights_.options.num_heads};
  for (std::int64_t i = 0; i < x_.rows(); ++i) {
    const float* query = x_.projected() + i * stride;
    key_values_.keep(1, query + width_, 2 * width_, cache_->newest(layer, first + i));
    const auto length = lengths_[static_cast<std::size_t>(first + i)];
    key_values_.attend(shape, query, cache_->data(layer), cache_->places(first + i), length,
                       attention_weights_.take(length * shape.weight_stride()), x_.joined() + i * width_);
  }
  weights.output.apply(x_.rows(), {x_.joined(), width_}, {to, width_});
}

void PackedSession::attend_to_source(std::int64_t first, std::size_t layer, const float* from, float* to) {
  const auto& weights = weights_.decoder[layer].cross;
  weights.query.apply(x_.rows(), {from, width_}, {x_.projected(), width_});
  const HeadShape shape{weights_.options.num_heads, width_ / weights_.options.num_heads};
  for (std::int64_t i = 0; i < x_.rows(); ++i) {
    const auto& source = sources_[static_cast<std::size_t>(first + i)];
    float* attention = attention_weights_.take(source.length * shape.weight_stride());
    const float* kept =
        source.key_values->data() + static_cast<std::int64_t>(layer) * source.length * key_values_.size();
    key_values_.attend(shape, x_.projected() + i * width_, kept, /*index=*/nullptr, source.length, attention,
                       x_.joined() + i * width_);
    if (gives_attention_) {
      keep_attention(layer, i, source.length, attention);
    }
  }
  weights.output.apply(x_.rows(), {x_.joined(), width_}, {to, width_});
}

/// Keeps what is given of the weights of a row's cross attention in a layer: for each source subword those of the
/// heads.
void PackedSession::keep_attention(std::size_t layer, std::int64_t row, std::int64_t source_length,
                                   const float* weights) {
  const HeadShape shape{weights_.options.num_heads, width_ / weights_.options.num_heads};
  for (auto& [attention, of_rows] : given_) {
    if (static_cast<std::int64_t>(layer) != attention.layer) {
      continue;
    }
    of_rows.resize(static_cast<std::size_t>(std::max<std::int64_t>(x_.rows(), std::ssize(of_rows))));
    auto& mean = of_rows[static_cast<std::size_t>(row)];
    mean.assign(static_cast<std::size_t>(source_length), 0.0F);
    const float* of_heads = weights;
    for (auto& value : mean) {
      for (auto head = attention.first_head; head < attention.first_head + attention.heads; ++head) {
        value += of_heads[head] / static_cast<float>(attention.heads);
      }
      of_heads += shape.weight_stride();
    }
  }
}

PackedModel::PackedModel(ModelWeights weights) : weights_(std::move(weights)), outputs_(weights_.projection) {}

std::unique_ptr<DecodingSession> PackedModel::start() const {
  return std::make_unique<PackedSession>(weights_, outputs_);
}

}  // namespace translate

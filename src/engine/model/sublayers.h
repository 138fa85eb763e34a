#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "config/options.h"

namespace translate {

/// The kinds of sub-layers of encoder and decoder layers (paper, figure 1). A recurrent unit stands in the place of
/// self-attention (DecoderKind::kSsru).
enum class Sublayer : std::uint8_t { kSelfAttention, kRecurrentUnit, kCrossAttention, kFeedForward };

/// The sub-layers of a layer in their order: the one list from which parameters, modules and packed inference take it.
/// Sub-layer i stands in residual connection i.
inline constexpr std::array kEncoderSublayers{Sublayer::kSelfAttention, Sublayer::kFeedForward};
inline constexpr std::array kDecoderSublayers{Sublayer::kSelfAttention, Sublayer::kCrossAttention,
                                              Sublayer::kFeedForward};
inline constexpr std::array kSsruDecoderSublayers{Sublayer::kRecurrentUnit, Sublayer::kCrossAttention,
                                                  Sublayer::kFeedForward};

/// The list of a decoder's layers.
[[nodiscard]] constexpr std::span<const Sublayer> decoder_sublayers(DecoderKind kind) {
  return kind == DecoderKind::kSsru ? kSsruDecoderSublayers : kDecoderSublayers;
}

/// Calls run(i, value) for each sub-layer i of `order`, in this order, with the value of its kind. `within_stack`: of
/// the self-attention, or of the recurrent unit in its place; `cross_attention`: nullptr in an encoder layer, which has
/// none.
template <class WithinStack, class CrossAttention, class FeedForward, class Run>
void for_each_sublayer(std::span<const Sublayer> order, const WithinStack& within_stack,
                       const CrossAttention& cross_attention, const FeedForward& feed_forward, const Run& run) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    switch (order[i]) {
      case Sublayer::kSelfAttention:
      case Sublayer::kRecurrentUnit:
        run(i, within_stack);
        break;
      case Sublayer::kCrossAttention:
        if constexpr (!std::is_null_pointer_v<CrossAttention>) {
          run(i, cross_attention);
        }
        break;
      case Sublayer::kFeedForward:
        run(i, feed_forward);
        break;
    }
  }
}

}  // namespace translate

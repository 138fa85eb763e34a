#include "model/model_size.h"

#include <algorithm>

namespace translate {

namespace {

/// Counts the values of modules, in the order in which they are first given.
class ModuleCounts {
 public:
  void add(const std::string& module, const std::vector<Parameter>& parameters) {
    const auto values = static_cast<std::int64_t>(count_values(parameters));
    const auto found = std::ranges::find(counts_, module, &std::pair<std::string, std::int64_t>::first);
    if (found != counts_.end()) {
      found->second += values;
    } else if (values > 0) {
      counts_.emplace_back(module, values);
    }
  }

  void add_stack(const StackParameters& stack) {
    add(stack.module, list_parameters(stack));
    const auto add_part = [&](const auto& part) { add(stack.module + "." + part.module, list_parameters(part)); };
    for (const auto& layer : stack.layers) {
      const auto add_if_any = [&](const auto& part) {
        if (part) {
          add_part(*part);
        }
      };
      add_if_any(layer.self_attention_block);
      add_if_any(layer.recurrent_unit);
      add_if_any(layer.cross_attention_block);
      add_part(layer.feed_forward_block);
      std::ranges::for_each(layer.residual_connections, add_part);
    }
    if (stack.norm) {
      add_part(*stack.norm);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> take() { return std::move(counts_); }

 private:
  std::vector<std::pair<std::string, std::int64_t>> counts_;
};

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> parameters_by_module(const ModelParameters& model) {
  ModuleCounts counts;
  counts.add_stack(model.encoder);
  counts.add_stack(model.decoder);
  counts.add(model.src_embed.module, {model.src_embed.embedding.weight});
  counts.add(model.tgt_embed.module, {model.tgt_embed.embedding.weight});
  for (const auto& positions : {model.src_pos, model.tgt_pos}) {
    if (positions.embedding) {
      counts.add(positions.module, {positions.embedding->weight});
    }
  }
  counts.add(model.projection_layer.module, list_parameters(model.projection_layer.proj));
  return counts.take();
}

MultiplyAdds multiply_adds(const ModelOptions& options, std::int64_t target_vocabulary, double source_length,
                           double target_length) {
  const auto d = static_cast<double>(options.d_model);
  const double square = d * d;                                               // one of w_q, w_k, w_v, w_o
  const double feed_forward = 2.0 * d * static_cast<double>(options.d_ff);   // linear_1, linear_2
  const auto looks = [d](double positions) { return 2.0 * d * positions; };  // scores, and the sum of values
  const auto encoder_layers = static_cast<double>(options.encoder_layers);
  const auto decoder_layers = static_cast<double>(options.decoder_layers);
  const double cross = 2.0 * square + looks(source_length);  // w_q and w_o; w_k and w_v count for the source
  const double within_target = options.decoder == DecoderKind::kSsru ? 2.0 * square  // w and w_f
                                                                     : 4.0 * square + looks(target_length);
  return {.source_token =
              encoder_layers * (4.0 * square + looks(source_length) + feed_forward) + decoder_layers * 2.0 * square,
          .target_token =
              decoder_layers * (within_target + cross + feed_forward) + d * static_cast<double>(target_vocabulary)};
}

}  // namespace translate

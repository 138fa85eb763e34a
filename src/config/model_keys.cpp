#include "translate/config/key_table.h"

namespace translate {
namespace {

/// Sets the depth of both stacks at once.
Key num_layers_key() {
  constexpr Range kRange = at_least(1);
  Key key;
  key.path = "model.num_layers";
  key.type = describe_type(std::int64_t{}, kRange);
  key.comment = "layers of encoder and decoder alike: sets the two keys below, beside which it cannot be given";
  key.shorthand = true;
  key.read = [=](const JsonValue& value, Config& config) {
    for (const char* other : {"encoder_layers", "decoder_layers"}) {
      if (value.parent.contains(other)) {
        value.fail_at_key(std::string("sets both encoder_layers and decoder_layers, but `") + other +
                          "` is given too: give either num_layers or the other two");
      }
    }
    read_value(value, kRange, config.model.encoder_layers);
    config.model.decoder_layers = config.model.encoder_layers;
  };
  key.write = [](const Config& config) { return write_value(config.model.encoder_layers); };
  key.copy = [](const Config&, Config&) {};  // the two keys that it sets are copied by themselves
  return key;
}

}  // namespace

void add_model_keys(std::vector<Key>& keys) {
  ObjectKeys model(
      keys, "model", [](auto& config) -> auto& { return config.model; });
  const Range size = at_least(1);
  const Range dropout = from_below(0, 1);
  model.add("d_model", &ModelOptions::d_model, "width of what goes from layer to layer", size);
  keys.push_back(num_layers_key());
  model.add("encoder_layers", &ModelOptions::encoder_layers, "layers of the encoder", size);
  model.add("decoder_layers", &ModelOptions::decoder_layers, "layers of the decoder", size);
  model.add("num_heads", &ModelOptions::num_heads, "attention heads; `d_model` must be a multiple", size);
  model.add("d_ff", &ModelOptions::d_ff, "inner width of the feed-forward blocks", size);
  model.add("dropout", &ModelOptions::dropout, "share of values dropped from embeddings and each block's output",
            dropout);
  model.add("attention_dropout", &ModelOptions::attention_dropout,
            "the same from attention weights (null: as `dropout`)", dropout);
  model.add("activation_dropout", &ModelOptions::activation_dropout,
            "the same inside the feed-forward blocks (null: as `dropout`)", dropout);
  model.add("layer_drop", &ModelOptions::layer_drop,
            "share of layers, of encoder and decoder, that a training pass leaves out at random (LayerDrop; say 0.1)",
            dropout);
  model.add("norm", &ModelOptions::norm, "layer normalisation before each block, or after it as in the paper");
  model.add(
      "layer_norm", &ModelOptions::layer_norm,
      "`torch`: the usual one (biased variance, epsilon inside the root); `reference`: unbiased deviation, epsilon "
      "added to it");
  model.add("layer_norm_epsilon", &ModelOptions::layer_norm_epsilon, "that epsilon", above(0));
  model.add("embedding_scale", &ModelOptions::embedding_scale, "multiply embeddings by the root of `d_model`");
  model.add(
      "positions", &ModelOptions::positions,
      "how the order of words gets in: fixed sine waves, which go on past any length; a learned table; not at all");
  model.add("activation", &ModelOptions::activation, "function inside the feed-forward blocks");
  model.add("tie_embeddings", &ModelOptions::tie_embeddings,
            "share weights: `decoder`: target embedding and output projection; `all`: the source embedding too, which "
            "needs a shared tokenizer");
  model.add("attention_bias", &ModelOptions::attention_bias, "biases in the projections of attention");
  model.add(
      "init", &ModelOptions::init,
      "`reference`: Xavier for every matrix; `scaled`: embeddings of deviation `d_model`^-0.5 instead, which learns "
      "faster when they are tied");
  model.add("max_positions", &ModelOptions::max_positions,
            "positions that a learned table holds; the first size of the sinusoidal one", at_least(1));
}

}  // namespace translate

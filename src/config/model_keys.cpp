

#include "config/key_table.h"

namespace translate {

namespace {

/// Sets the depth of both stacks at once.
Key num_layers_key() {
  constexpr Range kRange = at_least(1);
  Key key;
  key.path = "model.num_layers";
  key.type = describe_type(std::int64_t{}, kRange);
  key.comment = "the number of layers of encoder and of decoder; sets the next two keys and excludes them";
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
  model.add("d_model", &ModelOptions::d_model,
            "the width of the model: the size of each position's vector between layers", size);
  keys.push_back(num_layers_key());
  model.add("encoder_layers", &ModelOptions::encoder_layers, "the number of encoder layers", size);
  model.add("decoder_layers", &ModelOptions::decoder_layers, "the number of decoder layers", size);
  model.add("num_heads", &ModelOptions::num_heads, "the number of attention heads; `d_model` must be a multiple of it",
            size);
  model.add("d_ff", &ModelOptions::d_ff, "the inner width of the feed-forward blocks", size);
  model.add("dropout", &ModelOptions::dropout, "the dropout probability of the embeddings and of each block's output",
            dropout);
  model.add("attention_dropout", &ModelOptions::attention_dropout,
            "the dropout probability of the attention weights (null: as `dropout`)", dropout);
  model.add("activation_dropout", &ModelOptions::activation_dropout,
            "the dropout probability inside the feed-forward blocks (null: as `dropout`)", dropout);
  model.add(
      "layer_drop", &ModelOptions::layer_drop,
      "the probability of leaving out a layer in a training pass, in encoder and decoder (LayerDrop; for example 0.1)",
      dropout);
  model.add("norm", &ModelOptions::norm,
            "layer normalisation before each block (`pre`), or after it as in the paper (`post`)");
  model.add("layer_norm", &ModelOptions::layer_norm,
            "`torch`: PyTorch's (biased variance, epsilon inside the square root); `reference`: unbiased standard "
            "deviation, epsilon added to it");
  model.add("layer_norm_epsilon", &ModelOptions::layer_norm_epsilon, "the epsilon of layer normalisation", above(0));
  model.add("embedding_scale", &ModelOptions::embedding_scale, "multiply embeddings by the square root of `d_model`");
  model.add("positions", &ModelOptions::positions,
            "the positional encoding: fixed sinusoids, for sentences of any length; a learned table; or none");
  model.add("activation", &ModelOptions::activation, "the activation function of the feed-forward blocks");
  model.add("tie_embeddings", &ModelOptions::tie_embeddings,
            "share weights: `decoder`: target embedding and output projection; `all`: the source embedding too, which "
            "needs a shared tokenizer");
  model.add("attention_bias", &ModelOptions::attention_bias, "use biases in the projections of attention");
  model.add("init", &ModelOptions::init,
            "`reference`: Xavier for every matrix; `scaled`: embeddings with standard deviation `d_model`^-0.5 "
            "instead, which learn faster when they are tied");
  model.add("max_positions", &ModelOptions::max_positions,
            "the number of positions in a learned table; the initial size of the sinusoidal table", at_least(1));
}

}  // namespace translate

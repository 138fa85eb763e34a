#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "apps/explain/explanation.h"
#include "apps/explain/text_layout.h"
#include "config/enum_names.h"

namespace translate {

namespace {

/// The parts of a stage's name, such as "encoder.layers.2.self_attention_block.weights".
struct StageName {
  std::string stack;       ///< "encoder.layers", or empty outside a stack
  std::int64_t layer = 0;  ///< 2
  std::string module;      ///< "self_attention_block" (outside a stack: all but the last part)
  std::string stage;       ///< "weights"
};

StageName take_apart(const std::string& name) {
  constexpr std::string_view kLayers = ".layers.";
  StageName parts;
  std::string_view rest = name;
  if (const auto at = name.find(kLayers); at != std::string::npos) {
    parts.stack = name.substr(0, at + kLayers.size() - 1);
    rest.remove_prefix(at + kLayers.size());
    const auto digits = rest.find('.');
    std::from_chars(rest.data(), rest.data() + digits, parts.layer);
    rest.remove_prefix(digits + 1);
  }
  const auto dot = rest.rfind('.');
  parts.module = dot == std::string_view::npos ? "" : std::string(rest.substr(0, dot));
  parts.stage = dot == std::string_view::npos ? std::string(rest) : std::string(rest.substr(dot + 1));
  return parts;
}

/// Returns the meaning of a stage of an attention block.
std::string meaning_in_attention(const std::string& stage, const ModelOptions& options) {
  const std::map<std::string, std::string> meanings = {
      {"query", fmt::format("w_q, in {} heads", options.num_heads)},
      {"key", "w_k, likewise"},
      {"value", "w_v, likewise"},
      {"scores", "Q times K transposed"},
      {"scaled", fmt::format("divided by sqrt({})", options.d_model / options.num_heads)},
      {"masked", "-inf where masked"},
      {"weights", "softmax: rows sum to 1"},
      {"heads", "weights times V"},
      {"joined", "heads concatenated"},
      {"output", "w_o"}};
  return meanings.at(stage);
}

/// Returns the meaning of a stage in a few words.
std::string meaning_of(const StageName& name, const ModelOptions& options) {
  if (name.module.ends_with("attention_block")) {
    return meaning_in_attention(name.stage, options);
  }
  if (name.module == "feed_forward_block") {
    return name.stage == "inner" ? "linear_1, " + to_string(options.activation) : "linear_2";
  }
  if (name.module.starts_with("residual_connections")) {
    if (name.stage == "norm") {
      return options.norm == NormPlacement::kPre ? "norm before the block" : "norm after the sum";
    }
    return "x + the block's output";
  }
  if (name.stage == "src_embed" || name.stage == "tgt_embed") {
    return options.embedding_scale ? fmt::format("rows times sqrt({})", options.d_model) : "a row for each subword";
  }
  if (name.stage == "positions") {
    return to_string(options.positions) + ", added";
  }
  if (name.module.ends_with("_pos")) {
    return "the input of the first layer";
  }
  if (name.stage.ends_with("_mask")) {
    return "true = may attend";
  }
  if (name.stage == "projection_layer") {
    return "logits: a score for each subword";
  }
  return options.norm == NormPlacement::kPre ? "the stack's output, normalized" : "the stack's output";
}

std::string line_of(const StageName& name, const Stage& stage, const ModelOptions& options) {
  const auto shape = shape_text(stage.value.sizes());
  std::string line = pad_right((name.module.empty() ? "  " : "    ") + name.stage, 21) +
                     pad_right(meaning_of(name, options), 27) +
                     pad_right(shape, std::max<std::size_t>(16, shape.size() + 1));
  const auto values = stage.value.flatten();
  for (std::int64_t i = 0; i < values.size(0) && stage.value.scalar_type() != at::kBool; ++i) {
    const auto number = number_text(values[i].item<double>());
    if (display_width(line) + number.size() > kTerminalWidth) {
      break;
    }
    line += number + " ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Returns the layers without `shown`, as in "0-1, 3".
std::string others(const std::set<std::int64_t>& layers, std::int64_t shown) {
  std::string text;
  for (auto it = layers.begin(); it != layers.end();) {
    if (*it == shown) {
      ++it;
      continue;
    }
    const auto first = *it;
    auto last = first;
    for (++it; it != layers.end() && *it == last + 1 && *it != shown; ++it) {
      last = *it;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
  }
  return text;
}

/// Returns the stages of a pass as lines of 80 columns under the names of their modules: the meaning, the shape and the
/// first values of each. Of each stack it shows the layer `layer`, or the first layer if the stack has fewer; one line
/// names the others, which have the same stages and shapes.
std::string stage_table(const std::vector<Stage>& stages, std::int64_t layer, const ModelOptions& options) {
  std::map<std::string, std::set<std::int64_t>> layers;  // layers of each stack
  for (const auto& stage : stages) {
    const auto name = take_apart(stage.name);
    if (!name.stack.empty()) {
      layers[name.stack].insert(name.layer);
    }
  }
  const auto shown_of = [layer](const std::set<std::int64_t>& all) {
    return all.contains(layer) ? layer : *all.begin();
  };
  std::string table;
  std::string heading;
  for (const auto& stage : stages) {
    const auto name = take_apart(stage.name);
    auto module = name.module;
    if (!name.stack.empty()) {
      if (name.layer != shown_of(layers.at(name.stack))) {
        continue;
      }
      module = fmt::format("{}.{}.{}", name.stack, name.layer, name.module);
    } else if (const auto stack = layers.find(name.module + ".layers"); stack != layers.end()) {
      if (const auto rest = others(stack->second, shown_of(stack->second)); !rest.empty()) {
        table += fmt::format("  {}.{}: the same stages and shapes\n", stack->first, rest);
      }
    }
    if (module != heading && !module.empty()) {
      table += "  " + module + "\n";
    }
    heading = module;
    table += line_of(name, stage, options);
  }
  return table;
}

/// Returns the positions of the largest weights (n), best first: those above 0.1, at most three, at least one.
std::vector<std::int64_t> looked_at(const at::Tensor& weights) {
  const auto order = weights.argsort(/*dim=*/0, /*descending=*/true);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(3, order.size(0)); ++i) {
    const auto position = order[i].item<std::int64_t>();
    if (i == 0 || weights[position].item<double>() > 0.1) {
      positions.push_back(position);
    }
  }
  return positions;
}

std::string step_text(const Walk& walk, std::size_t index, const Tokenizer& target) {
  const auto& step = walk.steps[index];
  auto text = fmt::format("  step {}: read {}, generated {}\n", index + 1, walk.pass.decoder_subwords[index],
                          walk.pass.generated_subwords[index]);
  std::string line = "    likeliest";
  for (std::size_t i = 0; i < step.likeliest.size(); ++i) {
    const auto item =
        fmt::format("{}{} {:.4f}", i == 0 ? " " : "  ", target.subword(step.likeliest[i]), step.likelihoods[i]);
    if (display_width(line) + display_width(item) > kTerminalWidth) {
      text += line + "\n";
      line = std::string(12, ' ');
    }
    line += item;
  }
  text += line + "\n    looked at";
  for (const auto position : looked_at(step.cross_attention)) {
    text += fmt::format(" {} {:.2f} ", walk.pass.encoder_subwords[static_cast<std::size_t>(position)],
                        step.cross_attention[position].item<double>());
  }
  text.back() = '\n';
  return text;
}

/// Returns rows of cells in columns as wide as their widest cell; the last column is left-aligned, the others are
/// right-aligned.
std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size() - 1);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size() + 2);
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += pad_left(row[i], widths[i]);
    }
    text += "  " + row.back() + "\n";
  }
  return text;
}

std::string dimensions_table(const Walk& walk, std::int64_t vocabulary) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "decoder input", "self-attention", "cross att.", "output", "says"}};
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    const auto& step = walk.steps[i];
    rows.push_back({std::to_string(i + 1), shape_text(step.decoder_input_shape), shape_text(step.self_attention_shape),
                    shape_text(step.cross_attention_shape), shape_text(step.output_shape),
                    walk.pass.generated_subwords[i]});
  }
  return columns_text(rows) + fmt::format(
                                  "  The last row of each output gives (1, {}) probabilities; unk, pad and sos\n"
                                  "  are ruled out before the softmax. Eos is never fed in.\n",
                                  vocabulary);
}

/// Returns the attention of each head of one block in percent.
std::string heads_text(const std::vector<Stage>& stages, const std::string& block,
                       std::span<const std::string> labels) {
  const auto& weights = stage_value(stages, block + ".weights");  // (1, h, rows, columns)
  std::string text;
  for (std::int64_t head = 0; head < weights.size(1); ++head) {
    text += fmt::format("  {}, head {}\n{}", block, head, weight_table(weights[0][head], labels));
  }
  return text;
}

std::string attention_text(const Walk& walk, std::int64_t layer, const ModelOptions& model) {
  std::string text = "Attention in percent, columns by position\n";
  if (layer < model.encoder_layers) {
    text += heads_text(walk.pass.encoder, fmt::format("encoder.layers.{}.self_attention_block", layer),
                       walk.pass.encoder_subwords);
  }
  if (layer < model.decoder_layers) {
    const auto block = fmt::format("decoder.layers.{}.", layer);
    text += heads_text(walk.pass.decoder, block + "self_attention_block", walk.pass.decoder_subwords);
    text += heads_text(walk.pass.decoder, block + "cross_attention_block", walk.pass.decoder_subwords);
  }
  return text + "\n";
}

std::string part_text(const ObservedModel& observed, const TranslatedPart& part, const ViewingOptions& options) {
  const auto walk = walk_through(observed, part, options);
  const auto& model = observed.config.model;
  const auto& pass = walk.pass;
  const auto layer = options.layer.value_or(0);
  auto text = fmt::format("Source subwords (S = {}): the input of the encoder\n{}\n", pass.encoder_input.size(),
                          subword_table(pass.encoder_subwords, pass.encoder_input));
  text += fmt::format(
      "Encoder: {} layers, d_model {}, {} heads of {}; shapes are (batch, ...), then\n  the first values\n{}\n",
      model.encoder_layers, model.d_model, model.num_heads, model.d_model / model.num_heads,
      stage_table(pass.encoder, layer, model));
  text += fmt::format("Source mask, one row for all: ■ = may attend (no padding)\n{}\n",
                      mask_drawing(stage_value(pass.encoder, "src_mask")[0][0]));
  text += fmt::format("Decoder input (T = {}): sos, then the generated subwords\n{}\n", pass.decoder_input.size(),
                      subword_table(pass.decoder_subwords, pass.decoder_input));
  text += fmt::format("Decoder: {} layers; all {} positions at once, none attends to a later one\n{}\n",
                      model.decoder_layers, pass.decoder_input.size(), stage_table(pass.decoder, layer, model));
  text += fmt::format("Target mask: row = position, ■ = may attend\n{}\n",
                      mask_drawing(stage_value(pass.decoder, "tgt_mask")[0][0]));
  if (options.layer) {
    text += attention_text(walk, *options.layer, model);
  }
  text += fmt::format("Decoding, one subword a step; cross attention of layer {}, mean of {} heads\n", walk.cross_layer,
                      model.num_heads);
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    text += step_text(walk, i, observed.tokenizers.target);
  }
  text += fmt::format("  {}; total log-probability {:.4f}\n\n",
                      part.hypothesis.truncated ? "ended by the length limit" : "ended by eos", part.hypothesis.score);
  text += fmt::format("Dimensions, step by step (without the key-value cache of the earlier rows)\n{}",
                      dimensions_table(walk, observed.modules->sizes().target));
  return text;
}

}  // namespace

std::string explanation_text(const ObservedModel& model, const Translation& translation,
                             const ViewingOptions& options) {
  auto text = wrapped(fmt::format("\"{}\" -> \"{}\"", translation.source, translation.text)) + "\n";
  if (translation.parts.empty()) {
    return text + "A blank line stays blank.\n";
  }
  for (std::size_t i = 0; i < translation.parts.size(); ++i) {
    if (translation.parts.size() > 1) {
      text += fmt::format("== Part {} of {}: the line is longer than the model allows ==\n\n", i + 1,
                          translation.parts.size());
    }
    text += part_text(model, translation.parts[i], options);
  }
  return text;
}

}  // namespace translate

#include "explain/stage_table.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "config/enum_names.h"
#include "explain/text_layout.h"

namespace translate::tools {

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

/// Returns the meaning of a stage of a recurrent unit.
std::string meaning_in_recurrent_unit(const std::string& stage) {
  const std::map<std::string, std::string> meanings = {{"candidate", "u = w"},
                                                       {"gate", "g = sigmoid of w_f"},
                                                       {"state", "c = g c(before) + (1-g) u"},
                                                       {"output", "relu of the state"}};
  return meanings.at(stage);
}

/// Returns the meaning of a stage in a few words.
std::string meaning_of(const StageName& name, const ModelOptions& options) {
  if (name.module.ends_with("attention_block")) {
    return meaning_in_attention(name.stage, options);
  }
  if (name.module == "recurrent_unit") {
    return meaning_in_recurrent_unit(name.stage);
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
    return "input of the first layer";
  }
  if (name.stage.ends_with("_mask")) {
    return "true = may attend";
  }
  if (name.stage == "projection_layer") {
    return "logits: a score for each subword";
  }
  return options.norm == NormPlacement::kPre ? "the stack's output, normalized" : "the stack's output";
}

std::string line_of(const StageName& name, const trainer::Stage& stage, const ModelOptions& options) {
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

}  // namespace

std::string stage_table(const std::vector<trainer::Stage>& stages, std::int64_t layer, const ModelOptions& options) {
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

std::string encoder_table(const std::vector<trainer::Stage>& stages, std::int64_t layer, const ModelOptions& options) {
  return fmt::format(
      "Encoder: {} layers, d_model {}, {} heads of {}; shapes are (batch, ...), then\n  the first values\n{}",
      options.encoder_layers, options.d_model, options.num_heads, options.d_model / options.num_heads,
      stage_table(stages, layer, options));
}

nlohmann::ordered_json stage_json(const trainer::Stage& stage, bool whole) {
  constexpr std::int64_t kFirst = 6;
  const auto flat = stage.value.to(at::kFloat).flatten();
  return {{"name", stage.name},
          {"shape", stage.value.sizes().vec()},
          {"values", tensor_json(whole ? stage.value : flat.slice(0, 0, std::min(kFirst, flat.size(0))))}};
}

}  // namespace translate::tools

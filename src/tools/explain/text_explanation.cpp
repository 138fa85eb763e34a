#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "explain/explanation.h"
#include "explain/stage_table.h"
#include "explain/text_layout.h"

namespace translate::tools {

namespace {

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

std::string dimensions_table(const Walk& walk, std::int64_t vocabulary, bool is_recurrent) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "decoder input", is_recurrent ? "recurrent unit" : "self-attention", "cross att.", "output", "says"}};
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    const auto& step = walk.steps[i];
    rows.push_back({std::to_string(i + 1), shape_text(step.decoder_input_shape), shape_text(step.within_target_shape),
                    shape_text(step.cross_attention_shape), shape_text(step.output_shape),
                    walk.pass.generated_subwords[i]});
  }
  return columns_text(rows) + fmt::format(
                                  "  The last row of each output gives (1, {}) probabilities; unk, pad and sos\n"
                                  "  are ruled out before the softmax. Eos is never fed in.\n",
                                  vocabulary);
}

/// Draws the target mask (T, T) as it is at each of the first three steps: it grows by a row and a column.
std::string first_masks(const at::Tensor& mask) {
  constexpr std::int64_t kDrawn = 3;
  std::string text = "  The target mask grows by a row and a column at each step:\n";
  for (std::int64_t step = 1; step <= std::min(kDrawn, mask.size(0)); ++step) {
    text += fmt::format("  step {}, {} x {}\n{}", step, step, step,
                        mask_drawing(mask.slice(/*dim=*/0, 0, step).slice(/*dim=*/1, 0, step)));
  }
  return text;
}

/// Returns the attention of each head of one block in percent.
std::string heads_text(const std::vector<trainer::Stage>& stages, const std::string& block,
                       std::span<const std::string> labels) {
  const auto& weights = trainer::stage_value(stages, block + ".weights");  // (1, h, rows, columns)
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
    if (model.decoder == DecoderKind::kTransformer) {
      text += heads_text(walk.pass.decoder, block + "self_attention_block", walk.pass.decoder_subwords);
    }
    text += heads_text(walk.pass.decoder, block + "cross_attention_block", walk.pass.decoder_subwords);
  }
  return text + "\n";
}

std::string part_text(const trainer::ObservedModel& observed, const TranslatedPart& part,
                      const ViewingOptions& options) {
  const auto walk = walk_through(observed, part, options);
  const auto& model = observed.config.model;
  const auto& pass = walk.pass;
  const auto layer = options.layer.value_or(0);
  auto text = fmt::format("Source subwords (S = {}): the input of the encoder\n{}\n", pass.encoder_input.size(),
                          subword_table(pass.encoder_subwords, pass.encoder_input));
  text += encoder_table(pass.encoder, layer, model) + "\n";
  text += fmt::format("Source mask, one row for all: ■ = may attend (no padding)\n{}\n",
                      mask_drawing(trainer::stage_value(pass.encoder, "src_mask")[0][0]));
  text += fmt::format("Decoder input (T = {}): sos, then the generated subwords\n{}\n", pass.decoder_input.size(),
                      subword_table(pass.decoder_subwords, pass.decoder_input));
  const bool is_recurrent = model.decoder == DecoderKind::kSsru;
  text += fmt::format("Decoder: {} layers; all {} positions at once, {}\n{}\n", model.decoder_layers,
                      pass.decoder_input.size(),
                      is_recurrent ? "no state knows a later one" : "none attends to a later one",
                      stage_table(pass.decoder, layer, model));
  if (!is_recurrent) {
    text += fmt::format("Target mask: row = position, ■ = may attend\n{}\n",
                        mask_drawing(trainer::stage_value(pass.decoder, "tgt_mask")[0][0]));
  }
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
  text += fmt::format("Dimensions, step by step (without the {} of the earlier rows)\n{}",
                      is_recurrent ? "kept states" : "key-value cache",
                      dimensions_table(walk, observed.modules->sizes().target, is_recurrent));
  return is_recurrent ? text : text + first_masks(trainer::stage_value(pass.decoder, "tgt_mask")[0][0]);
}

}  // namespace

std::string explanation_text(const trainer::ObservedModel& model, const Translation& translation,
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

}  // namespace translate::tools

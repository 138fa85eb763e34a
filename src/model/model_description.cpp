#include "model/model_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/error.h"
#include "core/memory.h"

namespace translate {

VocabularySizes vocabulary_sizes(const TokenizerPair& tokenizers) {
  return {.source = tokenizers.source.vocab_size(),
          .target = tokenizers.target.vocab_size(),
          .source_pad = tokenizers.source.special_tokens().pad,
          .target_pad = tokenizers.target.special_tokens().pad};
}

namespace {

/// Lists parameters in the order in which the modules register them.
class Listing {
 public:
  explicit Listing(const ModelOptions& options) : options_(options) {}

  void add(std::string name, std::vector<std::int64_t> shape) {
    shapes_.emplace_back(std::move(name), std::move(shape));
  }

  void add_norm(const std::string& name) {
    add(name + ".alpha", {options_.d_model});
    add(name + ".bias", {options_.d_model});
  }

  void add_stack(const std::string& stack, std::int64_t layers, const std::vector<std::string_view>& attention_blocks) {
    for (std::int64_t i = 0; i < layers; ++i) {
      const auto layer = fmt::format("{}.layers.{}", stack, i);
      for (const auto block : attention_blocks) {
        add_attention(fmt::format("{}.{}", layer, block));
      }
      add_linear(layer + ".feed_forward_block.linear_1", options_.d_ff, options_.d_model);
      add_linear(layer + ".feed_forward_block.linear_2", options_.d_model, options_.d_ff);
      for (std::size_t connection = 0; connection <= attention_blocks.size(); ++connection) {
        add_norm(fmt::format("{}.residual_connections.{}.norm", layer, connection));
      }
    }
    if (options_.norm == NormPlacement::kPre) {
      add_norm(stack + ".norm");
    }
  }

  [[nodiscard]] ParameterShapes take() { return std::move(shapes_); }

 private:
  void add_attention(const std::string& block) {
    for (const auto* name : {"w_q", "w_k", "w_v", "w_o"}) {
      add(fmt::format("{}.{}.weight", block, name), {options_.d_model, options_.d_model});
      if (options_.attention_bias) {
        add(fmt::format("{}.{}.bias", block, name), {options_.d_model});
      }
    }
  }

  void add_linear(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }

  const ModelOptions& options_;
  ParameterShapes shapes_;
};

}  // namespace

ParameterShapes parameter_shapes(const ModelOptions& options, const VocabularySizes& sizes) {
  const auto tying = options.tie_embeddings;
  Listing list(options);
  list.add_stack("encoder", options.encoder_layers, {"self_attention_block"});
  list.add_stack("decoder", options.decoder_layers, {"self_attention_block", "cross_attention_block"});
  list.add("src_embed.embedding.weight", {sizes.source, options.d_model});
  if (tying != EmbeddingTying::kAll) {
    list.add("tgt_embed.embedding.weight", {sizes.target, options.d_model});
  }
  if (options.positions == PositionKind::kLearned) {
    list.add("src_pos.embedding.weight", {options.max_positions, options.d_model});
    list.add("tgt_pos.embedding.weight", {options.max_positions, options.d_model});
  }
  if (tying == EmbeddingTying::kNone) {
    list.add("projection_layer.proj.weight", {sizes.target, options.d_model});
  }
  list.add("projection_layer.proj.bias", {sizes.target});
  return list.take();
}

double parameter_total(const ModelOptions& options, const VocabularySizes& sizes) {
  const auto d = static_cast<double>(options.d_model);
  const auto d_ff = static_cast<double>(options.d_ff);
  const auto source = static_cast<double>(sizes.source);
  const auto target = static_cast<double>(sizes.target);
  const double attention = 4.0 * (d * d + (options.attention_bias ? d : 0.0));
  const double feed_forward = 2.0 * d * d_ff + d_ff + d;
  const double norm = 2.0 * d;
  const double last_norm = options.norm == NormPlacement::kPre ? norm : 0.0;
  const double encoder = attention + feed_forward + 2.0 * norm;
  const double decoder = 2.0 * attention + feed_forward + 3.0 * norm;
  const bool has_target_table = options.tie_embeddings != EmbeddingTying::kAll;
  const bool has_projection = options.tie_embeddings == EmbeddingTying::kNone;
  const bool has_positions = options.positions == PositionKind::kLearned;
  return static_cast<double>(options.encoder_layers) * encoder + static_cast<double>(options.decoder_layers) * decoder +
         2.0 * last_norm + source * d + (has_target_table ? target * d : 0.0) +
         (has_positions ? 2.0 * static_cast<double>(options.max_positions) * d : 0.0) +
         (has_projection ? target * d : 0.0) + target;
}

void check_shapes(const ParameterShapes& model, const ParameterShapes& given, const std::string& origin) {
  const std::map<std::string, std::vector<std::int64_t>> given_by_name(given.begin(), given.end());
  const std::map<std::string, std::vector<std::int64_t>> model_by_name(model.begin(), model.end());
  std::vector<std::string> problems;
  for (const auto& [name, shape] : model) {
    const auto found = given_by_name.find(name);
    if (found == given_by_name.end()) {
      problems.push_back(name + " is missing");
    } else if (found->second != shape) {
      problems.push_back(fmt::format("{} has shape [{}], the model [{}]", name, fmt::join(found->second, ", "),
                                     fmt::join(shape, ", ")));
    }
  }
  for (const auto& [name, shape] : given) {
    if (!model_by_name.contains(name)) {
      problems.push_back(name + " is left over");
    }
  }
  if (problems.empty()) {
    return;
  }
  constexpr std::size_t kNamed = 12;
  const auto named = std::min(problems.size(), kNamed);
  const auto more = problems.size() > named ? fmt::format("; and {} more", problems.size() - named) : std::string();
  problems.resize(named);
  throw CheckpointError(
      fmt::format("{}: these weights do not fit the model, whose sizes are those of the configuration: {}{}", origin,
                  fmt::join(problems, "; "), more));
}

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

std::string describe_sizes(const ModelOptions& options, const VocabularySizes& sizes) {
  auto text = fmt::format("model.d_model {}, model.d_ff {}, model.encoder_layers {}, model.decoder_layers {}",
                          options.d_model, options.d_ff, options.encoder_layers, options.decoder_layers);
  if (options.positions != PositionKind::kNone) {
    text += fmt::format(", model.max_positions {}", options.max_positions);
  }
  if (sizes.source > 0) {
    text += fmt::format(", vocabularies of {} and {} subwords", sizes.source, sizes.target);
  }
  return text;
}

/// Returns "23.5 GiB", or "4.7e+14 GiB" if more digits would say nothing.
std::string gibibytes(double bytes) {
  constexpr double kMany = 1e6;
  const double amount = bytes / kGibibyte;
  return amount < kMany ? fmt::format("{:.1f} GiB", amount) : fmt::format("{:.1e} GiB", amount);
}

}  // namespace

double training_bytes_of_weight(const TrainingOptions& options) {
  const double moments = options.optimizer.type == OptimizerType::kMuon ? 1.0 : 2.0;
  const double average = options.ema_decay > 0.0 ? 1.0 : 0.0;
  return kBytesOfWeight * (1.0 + 1.0 + moments + average);
}

double memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight) {
  double bytes = parameter_total(options, sizes) * bytes_of_weight;
  if (options.positions == PositionKind::kSinusoidal) {
    bytes += kBytesOfWeight * static_cast<double>(options.max_positions) * static_cast<double>(options.d_model);
  }
  return bytes;
}

void check_memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight,
                       const c10::Device& device) {
  const double need = memory_need(options, sizes, bytes_of_weight);
  if (need <= kGibibyte && device.is_cpu()) {  // looking would take longer than the program's start should
    return;
  }
  const auto capacity = static_cast<double>(memory_capacity(device));
  if (need <= capacity) {
    return;
  }
  throw ConfigError(fmt::format(
      "the model does not fit in memory: its sizes need at least {} ({} bytes for each of {:.4g} parameters), and this "
      "process can have {} at most on {}. The sizes are {}: lower the largest",
      gibibytes(need), bytes_of_weight, parameter_total(options, sizes), gibibytes(capacity), device.str(),
      describe_sizes(options, sizes)));
}

Precision resolve_precision(Precision precision, const c10::Device& device) {
  if (precision != Precision::kAuto) {
    return precision;
  }
  return device.is_cuda() ? Precision::kBf16 : Precision::kFp32;
}

}  // namespace translate

#include "interop/export/weight_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checkpoint/weights_check.h"
#include "config/enum_names.h"
#include "core/error.h"
#include "model/memory_need.h"
#include "model/position_table.h"

namespace translate::tools {

namespace {

constexpr double kLargestReferenceEpsilon = 1e-5;  // the error of a norm is at most about the epsilon

/// Throws ConfigError if a table of positions needs more memory than this process could have.
void check_table_size(std::int64_t positions, std::int64_t width, const std::string& origin) {
  const double need = static_cast<double>(positions) * static_cast<double>(width) * double{sizeof(float)};
  if (fits_in_memory(need, *cpu_device())) {
    return;
  }
  throw ConfigError(
      fmt::format("{}: a table of {} positions, as many as the configuration's data.max_length and decoding.max_length "
                  "need, takes {}, which is more than the memory: lower the larger of the two",
                  origin, positions, gibibytes(need)));
}

/// Throws as check_weights does, before the table of the parameters is made.
const ModelToExport& checked(const ModelToExport& model) {
  check_weights(model.config.model, vocabulary_sizes(model.tokenizers), model.weights, model.origin);
  return model;
}

}  // namespace

WeightReader::WeightReader(const ModelToExport& model)
    : model_(checked(model)),
      parameters_(describe_parameters(model.config.model, vocabulary_sizes(model.tokenizers))) {}

FloatArray WeightReader::read(const Parameter& parameter) const {
  const auto& name = parameter.stored_name();
  const auto found = std::ranges::find(model_.weights, name, [](const auto& weight) { return weight.first; });
  const auto& array = found->second;
  const auto numbers = as_floats(array, name);
  check_finite({numbers.get(), static_cast<std::size_t>(array.count())}, name, model_.origin);
  return {.shape = array.shape, .values = {numbers.get(), numbers.get() + array.count()}};
}

FloatArray WeightReader::read_joined(const std::vector<Parameter>& parameters) const {
  FloatArray joined = read(parameters.front());
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    const auto next = read(parameters[i]);
    joined.shape.front() += next.rows();
    joined.values.insert(joined.values.end(), next.values.begin(), next.values.end());
  }
  return joined;
}

FloatArray WeightReader::read_gamma(const NormParameters& norm) const {
  auto gamma = read(norm.alpha);
  const float factor = norm_rule().factor;
  for (auto& value : gamma.values) {
    value *= factor;
  }
  return gamma;
}

FloatArray WeightReader::read_projection_bias() const {
  auto bias = read(parameters_.projection_layer.proj.bias.value());
  const auto& special = model_.tokenizers.target.special_tokens();
  for (const auto subword : {special.unk, special.sos, special.pad}) {
    bias.values[static_cast<std::size_t>(subword)] = kNeverGenerated;
  }
  return bias;
}

FloatArray WeightReader::read_positions(const PositionParameters& side, std::int64_t count) const {
  if (side.embedding) {
    return read(side.embedding->weight);
  }
  const auto width = model_.config.model.d_model;
  check_table_size(count, width, model_.origin);
  if (model_.config.model.positions == PositionKind::kNone) {
    return {.shape = {count, width}, .values = std::vector<float>(static_cast<std::size_t>(count * width))};
  }
  return {.shape = {count, width}, .values = sinusoidal_table(count, Sinusoids(model_.config.model))};
}

NormRule WeightReader::norm_rule() const {
  const auto& options = model_.config.model;
  if (options.layer_norm != LayerNormKind::kReference) {
    return {.factor = 1.0F, .epsilon = options.layer_norm_epsilon};
  }
  const auto d = static_cast<double>(options.d_model);
  const double factor = std::sqrt((d - 1.0) / d);
  const double beside = options.layer_norm_epsilon * factor;
  return {.factor = static_cast<float>(factor), .epsilon = beside * beside};
}

std::int64_t positions_needed(const Config& config, std::int64_t least) {
  constexpr std::int64_t kEnds = 2;  // sos and eos
  return std::max({least, config.data.max_length + kEnds, config.decoding.max_length + kEnds});
}

void check_decoder(const ModelOptions& options, const std::string& format) {
  if (options.decoder != DecoderKind::kTransformer) {
    throw ConfigError(
        fmt::format("{} cannot hold this model: its decoder has recurrent units (model.decoder \"{}\"), and there it "
                    "has self-attention",
                    format, to_string(options.decoder)));
  }
}

void check_norm(const ModelOptions& options, const std::string& format) {
  if (options.layer_norm == LayerNormKind::kReference && options.layer_norm_epsilon > kLargestReferenceEpsilon) {
    throw ConfigError(fmt::format(
        "{} cannot hold this model: its norms divide by the deviation plus model.layer_norm_epsilon = {}, and there "
        "the "
        "epsilon is added to the variance, which makes no difference up to {} alone; train with model.layer_norm "
        "\"torch\" to export with such an epsilon",
        format, options.layer_norm_epsilon, kLargestReferenceEpsilon));
  }
}

}  // namespace translate::tools

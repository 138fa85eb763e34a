#include "interop/export/marian_weights.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "interop/export/weight_reader.h"
#include "interop/marian/marian_names.h"
#include "model/memory_need.h"

namespace translate::tools {

namespace {

NpyArray floats_of(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return {.type = "<f4",
          .shape = std::move(shape),
          .bytes = {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}};
}

/// Converts the parameters of a model.
class Converter {
 public:
  /// `source` and `target`: the numbers of subwords in Marian's vocabularies.
  Converter(const ModelToExport& model, std::size_t source, std::size_t target)
      : model_(model),
        reader_(model),
        source_(static_cast<std::int64_t>(source)),
        target_(static_cast<std::int64_t>(target)) {}

  [[nodiscard]] std::vector<NamedNpyArray> arrays() const {
    auto with_biases = model_.config.model;
    with_biases.attention_bias = true;
    const auto parameters = describe_parameters(with_biases, vocabulary_sizes(model_.tokenizers));
    std::vector<NamedNpyArray> arrays;
    for (const auto& entry : marian_names(parameters, with_biases)) {
      arrays.push_back({.name = entry.name, .array = convert(entry)});
    }
    return arrays;
  }

 private:
  [[nodiscard]] NpyArray convert(const MarianName& entry) const {
    auto values = read(entry.parameter);
    const auto& shape = entry.parameter.shape;
    const bool is_source = entry.parameter.name.starts_with("src_embed");
    const auto subwords = is_source ? source_ : target_;
    switch (entry.layout) {
      case MarianLayout::kRow:
        return floats_of({1, shape[0]}, values);
      case MarianLayout::kLinear:
        return transposed(values, shape[0], shape[1]);
      case MarianLayout::kTable:
        values.resize(static_cast<std::size_t>(subwords * shape[1]));
        return floats_of({subwords, shape[1]}, values);
      case MarianLayout::kOutput:
        return transposed(values, target_, shape[1]);
      case MarianLayout::kOutputBias:
        break;
    }
    return output_bias(std::move(values));
  }

  /// The values here; zeros for a bias that the model does not have.
  [[nodiscard]] std::vector<float> read(const Parameter& parameter) const {
    const auto is_stored = std::ranges::any_of(
        model_.weights, [&](const auto& weight) { return weight.first == parameter.stored_name(); });
    if (!is_stored) {
      return std::vector<float>(static_cast<std::size_t>(parameter.shape.front()), 0.0F);
    }
    auto values = reader_.read(parameter).values;
    if (parameter.own_name() == "alpha") {
      const float factor = reader_.norm_rule().factor;
      std::ranges::for_each(values, [&](float& value) { value *= factor; });
    }
    return values;
  }

  /// The first rows of a matrix (rows or more, columns) as (columns, rows).
  [[nodiscard]] static NpyArray transposed(const std::vector<float>& from, std::int64_t rows, std::int64_t columns) {
    std::vector<float> to(static_cast<std::size_t>(rows * columns));
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        to[static_cast<std::size_t>(column * rows + row)] = from[static_cast<std::size_t>(row * columns + column)];
      }
    }
    return floats_of({columns, rows}, to);
  }

  /// Marian never generates unk; sos and pad are subwords like others there.
  [[nodiscard]] NpyArray output_bias(std::vector<float> bias) const {
    const auto& special = model_.tokenizers.target.special_tokens();
    for (const auto subword : {special.sos, special.pad}) {
      bias[static_cast<std::size_t>(subword)] = kNeverGenerated;
    }
    bias.resize(static_cast<std::size_t>(target_));
    return floats_of({1, target_}, bias);
  }

  const ModelToExport& model_;
  WeightReader reader_;
  std::int64_t source_;
  std::int64_t target_;
};

}  // namespace

std::vector<NamedNpyArray> marian_weights(const ModelToExport& model, std::size_t source, std::size_t target) {
  return Converter(model, source, target).arrays();
}

}  // namespace translate::tools

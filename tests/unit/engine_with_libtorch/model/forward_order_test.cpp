#include "model/forward_order.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "modules/transformer.h"

namespace translate {
namespace {

using ::testing::UnorderedElementsAreArray;

constexpr VocabularySizes kOrderSizes{.source = 11, .target = 11};

ModelOptions options_with(EmbeddingTying tying) {
  ModelOptions options;
  options.d_model = 8;
  options.num_heads = 2;
  options.d_ff = 16;
  options.encoder_layers = 2;
  options.decoder_layers = 2;
  options.max_positions = 16;
  options.positions = PositionKind::kLearned;
  options.tie_embeddings = tying;
  return options;
}

/// The part of the model that a parameter belongs to: a layer ("encoder.layers.1"), or a table or norm outside of all.
std::string part_of(const std::string& name) {
  const auto layers = name.find(".layers.");
  return layers == std::string::npos ? name.substr(0, name.find('.')) : name.substr(0, name.find('.', layers + 8));
}

/// Returns the parts in the order of the names, those that follow each other once.
std::vector<std::string> parts_of(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const auto& name : names) {
    if (const auto part = part_of(name); parts.empty() || parts.back() != part) {
      parts.push_back(part);
    }
  }
  return parts;
}

/// Returns the names of the parameters in the order in which a backward pass completes their gradients.
std::vector<std::string> completed(const trainer::Transformer& model) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : trainer::unique_parameters(model)) {
    parameter.register_hook([&names, name = name](const at::Tensor& /*gradient*/) { names.push_back(name); });
  }
  const auto ids = at::arange(2, 8, at::kLong).view({1, 6});
  trainer::Transformer(model)->forward(ids, ids).sum().backward();
  return names;
}

class ForwardOrder : public ::testing::TestWithParam<EmbeddingTying> {};

TEST_P(ForwardOrder, HasEachParameterOfACheckpointOnce) {
  const auto options = options_with(GetParam());
  std::vector<std::string> stored;
  for (const auto& [name, shape] : parameter_shapes(options, kOrderSizes)) {
    stored.push_back(name);
  }
  EXPECT_THAT(forward_order(describe_parameters(options, kOrderSizes)), UnorderedElementsAreArray(stored));
}

TEST_P(ForwardOrder, IsTheReverseOfTheOrderInWhichABackwardPassCompletesGradients) {
  const auto options = options_with(GetParam());
  auto order = forward_order(describe_parameters(options, kOrderSizes));
  auto names = completed(trainer::build_transformer(options, kOrderSizes));
  ASSERT_THAT(names, UnorderedElementsAreArray(order));
  // Subword and position embeddings are added up, so theirs may come in either order.
  const auto is_position = [](const std::string& name) { return name.find("_pos.") != std::string::npos; };
  std::erase_if(order, is_position);
  std::erase_if(names, is_position);
  auto expected = parts_of(order);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(parts_of(names), expected);
}

INSTANTIATE_TEST_SUITE_P(Tying, ForwardOrder,
                         ::testing::Values(EmbeddingTying::kNone, EmbeddingTying::kDecoder, EmbeddingTying::kAll));

}  // namespace
}  // namespace translate

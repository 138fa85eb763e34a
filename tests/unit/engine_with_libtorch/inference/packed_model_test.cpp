#include "inference/packed_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "core/error.h"
#include "modules/transformer.h"
#include "operators/operator_model.h"
#include "support/thread_count.h"
#include "tensors/tensor_file.h"

namespace translate {
namespace {

constexpr std::int64_t kVocabulary = 53;
using Ids = std::vector<std::int64_t>;

ModelOptions small_options() {
  ModelOptions options;
  options.d_model = 32;
  options.encoder_layers = 2;
  options.decoder_layers = 3;
  options.num_heads = 4;
  options.d_ff = 40;
  options.max_positions = 24;
  return options;
}

/// Biases and norms that are not those of a fresh model, which hide mistakes.
trainer::Transformer random_model(const ModelOptions& options) {
  at::manual_seed(11);
  auto model = trainer::build_transformer(
      options, {.source = kVocabulary, .target = kVocabulary, .source_pad = 3, .target_pad = 3});
  const at::NoGradGuard no_grad;
  for (auto& [name, parameter] : trainer::unique_parameters(model)) {
    at::Tensor(parameter).add_(at::randn(parameter.sizes()), 0.05);
  }
  model->eval();
  return model;
}

PackedModel packed(const trainer::Transformer& model, WeightFormat format = WeightFormat::kFloat) {
  return PackedModel(pack_weights(model->options(), model->sizes(),
                                  trainer::arrays_of(trainer::unique_parameters(model)), format, "the model"));
}

/// Sources of several lengths.
std::vector<Ids> some_sources() {
  std::vector<Ids> sources;
  for (const std::int64_t length : {5, 1, 9, 17, 3, 2, 12}) {
    Ids ids = {1};
    for (std::int64_t i = 0; i < length; ++i) {
      ids.push_back(4 + (i * 7 + length * 13) % (kVocabulary - 4));
    }
    ids.push_back(2);
    sources.push_back(ids);
  }
  return sources;
}

/// What row `row` is told at step `step`.
std::int64_t subword_of(std::int64_t row, std::int64_t step) {
  return step == 0 ? 1 : 4 + (row * 5 + step * 11) % (kVocabulary - 4);
}

struct Output {
  std::vector<float> logits;
  std::vector<float> attention;
  std::vector<float> predicting;
  bool is_of_input = false;
  bool operator==(const Output&) const = default;
};

/// Drives a session: rows have numbers of their own, which stay theirs when rows come and go.
class Driver {
 public:
  explicit Driver(const InferenceModel& model, bool attention = false) : session_(model.start()) {
    session_->give_attention(attention);
  }

  void add(const std::vector<Ids>& sources, std::int64_t first_number, const std::vector<Ids>& shortlists = {}) {
    std::vector<std::span<const std::int64_t>> spans;
    for (const auto& source : sources) {
      numbers_.push_back(first_number++);
      steps_.push_back(0);
      spans.emplace_back(source);
    }
    session_->add(spans, std::vector<std::span<const std::int64_t>>(shortlists.begin(), shortlists.end()));
  }

  /// Outputs by (number, step).
  void step(std::map<std::pair<std::int64_t, std::int64_t>, Output>& outputs) {
    Ids subwords;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      subwords.push_back(subword_of(numbers_[i], steps_[i]));
    }
    std::size_t seen = 0;
    session_->step(subwords, [&](std::int64_t row, const NextSubword& next) {
      ++seen;
      const auto i = static_cast<std::size_t>(row);
      outputs[{numbers_[i], steps_[i]}] = {{next.logits.values.begin(), next.logits.values.end()},
                                           {next.attention.begin(), next.attention.end()},
                                           {next.predicting.begin(), next.predicting.end()},
                                           next.is_of_input};
    });
    EXPECT_EQ(seen, numbers_.size());
    for (auto& step : steps_) {
      ++step;
    }
  }

  void select(const Ids& parents) {
    session_->select(parents);
    std::vector<std::int64_t> numbers;
    std::vector<std::int64_t> steps;
    for (const auto parent : parents) {
      numbers.push_back(numbers_[static_cast<std::size_t>(parent)]);
      steps.push_back(steps_[static_cast<std::size_t>(parent)]);
    }
    numbers_ = numbers;
    steps_ = steps;
    EXPECT_EQ(session_->rows(), std::ssize(parents));
  }

 private:
  std::unique_ptr<DecodingSession> session_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> steps_;
};

using Outputs = std::map<std::pair<std::int64_t, std::int64_t>, Output>;

/// All sources together for `steps` steps.
Outputs together(const InferenceModel& model, std::int64_t steps) {
  Outputs outputs;
  Driver driver(model, /*attention=*/true);
  driver.add(some_sources(), 0);
  for (std::int64_t i = 0; i < steps; ++i) {
    driver.step(outputs);
  }
  return outputs;
}

void expect_close(const std::vector<float>& a, const std::vector<float>& b, float tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], tolerance) << what << ", value " << i;
  }
}

class PackedModelTest : public ::testing::Test {};

TEST_F(PackedModelTest, AgreesWithLibTorchsOperatorsForEveryKindOfModel) {
  using Change = std::function<void(ModelOptions&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"as it is", [](ModelOptions&) {}},
      {"post-norm", [](ModelOptions& o) { o.norm = NormPlacement::kPost; }},
      {"torch's norm", [](ModelOptions& o) { o.layer_norm = LayerNormKind::kTorch; }},
      {"biases", [](ModelOptions& o) { o.attention_bias = true; }},
      {"all tied", [](ModelOptions& o) { o.tie_embeddings = EmbeddingTying::kAll; }},
      {"decoder tied", [](ModelOptions& o) { o.tie_embeddings = EmbeddingTying::kDecoder; }},
      {"no scale", [](ModelOptions& o) { o.embedding_scale = false; }},
      {"learned", [](ModelOptions& o) { o.positions = PositionKind::kLearned; }},
      {"no positions", [](ModelOptions& o) { o.positions = PositionKind::kNone; }},
      {"halves", [](ModelOptions& o) { o.sinusoid_layout = SinusoidLayout::kHalves; }},
      {"Tensor2Tensor", [](ModelOptions& o) { o.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor; }},
      {"zero start", [](ModelOptions& o) { o.zero_start = true; }},
      {"zero start, tied",
       [](ModelOptions& o) {
         o.zero_start = true;
         o.tie_embeddings = EmbeddingTying::kAll;
       }},
      {"recurrent units", [](ModelOptions& o) { o.decoder = DecoderKind::kSsru; }},
      {"recurrent units, post-norm, as in Marian",
       [](ModelOptions& o) {
         o.decoder = DecoderKind::kSsru;
         o.norm = NormPlacement::kPost;
         o.attention_bias = true;
         o.zero_start = true;
       }},
      {"gelu", [](ModelOptions& o) { o.activation = Activation::kGelu; }},
      {"swish", [](ModelOptions& o) { o.activation = Activation::kSwish; }},
      {"one head", [](ModelOptions& o) { o.num_heads = 1; }},
      {"eight heads, narrow", [](ModelOptions& o) { o.num_heads = 8; }},
      {"odd width",
       [](ModelOptions& o) {
         o.d_model = 90;
         o.num_heads = 9;
       }},
      {"one layer", [](ModelOptions& o) { o.decoder_layers = 1; }},
      {"aligned by one head",
       [](ModelOptions& o) {
         o.alignment_layer = o.decoder_layers - 1;
         o.alignment_head = 1;
       }},
      {"aligned by the heads of the first layer", [](ModelOptions& o) { o.alignment_layer = 0; }},
      {"aligned when they are read",
       [](ModelOptions& o) {
         o.input_alignment_layer = 0;
         o.input_alignment_head = 1;
       }},
      {"deep products", [](ModelOptions& o) { o.d_ff = 300; }},
      {"short table", [](ModelOptions& o) { o.max_positions = 2; }},  // which sinusoidal positions go beyond
  };
  for (const auto& [name, change] : changes) {
    auto options = small_options();
    change(options);
    auto model = random_model(options);
    const auto ours = together(packed(model), 6);
    const auto theirs = together(trainer::OperatorModel(model, at::kCPU, Precision::kFp32), 6);
    ASSERT_EQ(ours.size(), theirs.size());
    for (const auto& [place, output] : ours) {
      const auto what = fmt::format("{}, row {}, step {}", name, place.first, place.second);
      expect_close(output.logits, theirs.at(place).logits, 2e-4F, what);
      expect_close(output.attention, theirs.at(place).attention, 1e-5F, what + " (attention)");
      expect_close(output.predicting, theirs.at(place).predicting, 1e-5F, what + " (predicting)");
      EXPECT_EQ(output.is_of_input, options.input_alignment_layer.has_value());
      EXPECT_EQ(output.is_of_input, theirs.at(place).is_of_input);
    }
  }
}

/// What must hold whatever the weights are kept in, and of each kind of decoder.
class PackedModelFormats : public PackedModelTest,
                           public ::testing::WithParamInterface<std::tuple<WeightFormat, DecoderKind>> {
 protected:
  [[nodiscard]] static WeightFormat format() { return std::get<0>(GetParam()); }

  [[nodiscard]] static ModelOptions options_of_kind() {
    auto options = small_options();
    options.decoder = std::get<1>(GetParam());
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Formats, PackedModelFormats,
                         ::testing::Combine(::testing::Values(WeightFormat::kFloat, WeightFormat::kInt8,
                                                              WeightFormat::kBfloat16),
                                            ::testing::Values(DecoderKind::kTransformer, DecoderKind::kSsru)));

TEST_P(PackedModelFormats, ARowDoesNotDependOnTheOthers) {
  const auto model = packed(random_model(options_of_kind()), format());
  const auto expected = together(model, 5);
  const auto sources = some_sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Outputs alone;
    Driver driver(model, /*attention=*/true);
    driver.add({sources[i]}, static_cast<std::int64_t>(i));
    for (int step = 0; step < 5; ++step) {
      driver.step(alone);
    }
    for (const auto& [place, output] : alone) {
      EXPECT_EQ(output, expected.at(place)) << place.first << ", " << place.second;
    }
  }
}

/// A list of any length: whole panels of the packed projection, and parts of one.
TEST_P(PackedModelFormats, AShortlistGivesTheSameLogitsOfItsSubwords) {
  auto options = options_of_kind();
  options.d_model = 272;  // more than a block of depths
  options.num_heads = 4;
  options.attention_bias = true;
  const auto model = packed(random_model(options), format());
  const auto expected = together(model, 4);
  const auto sources = some_sources();
  std::vector<Ids> lists(sources.size());
  for (std::size_t i = 1; i < lists.size(); ++i) {  // the first one has all subwords
    const auto step = static_cast<std::int64_t>(1 + i % 3);
    for (auto id = static_cast<std::int64_t>(i % 5); id < kVocabulary; id += step) {
      lists[i].push_back(id);
    }
  }
  Outputs outputs;
  Driver driver(model, /*attention=*/true);
  driver.add(sources, 0, lists);
  driver.step(outputs);
  driver.select({6, 1, 1, 0, 4, 3});  // rows of the same list, and of others between them
  for (int step = 0; step < 3; ++step) {
    driver.step(outputs);
  }
  for (const auto& [place, output] : outputs) {
    auto listed = expected.at(place);
    if (const auto& list = lists[static_cast<std::size_t>(place.first)]; !list.empty()) {
      std::vector<float> logits;
      for (const auto id : list) {
        logits.push_back(listed.logits[static_cast<std::size_t>(id)]);
      }
      listed.logits = logits;
    }
    EXPECT_EQ(output, listed) << place.first << ", " << place.second;
  }
}

TEST_P(PackedModelFormats, RowsJoinLeaveAndMultiplyWithoutChangingOthers) {
  const auto model = packed(random_model(options_of_kind()), format());
  const auto expected = together(model, 6);
  const auto sources = some_sources();
  Outputs outputs;
  Driver driver(model, /*attention=*/true);
  driver.add({sources[0], sources[1], sources[2]}, 0);
  driver.step(outputs);
  driver.step(outputs);
  driver.select({2, 0, 0});  // row 1 leaves, row 0 is there twice
  driver.add({sources[3], sources[4]}, 3);
  driver.step(outputs);
  driver.select({4, 1, 0, 3});
  driver.step(outputs);
  driver.select({});
  driver.add({sources[5], sources[6]}, 5);
  for (int step = 0; step < 6; ++step) {
    driver.step(outputs);
  }
  EXPECT_EQ(outputs.size(), 3 * 2 + 2 * 2 + 2 * 2 + 2 * 6);
  for (const auto& [place, output] : outputs) {
    EXPECT_EQ(output, expected.at(place)) << place.first << ", " << place.second;
  }
}

/// More rows than go through the layers at once, and enough for several threads to share the work of one row.
TEST_P(PackedModelFormats, NeitherManyRowsNorThreadsChangeAnything) {
  auto options = options_of_kind();
  options.d_model = 256;
  options.num_heads = 4;
  options.d_ff = 1024;
  const auto model = packed(random_model(options), format());
  const auto expected = testing::on_threads(1, [&] { return together(model, 3); });
  const testing::ThreadCount threads(3);
  EXPECT_EQ(together(model, 3), expected);
  Outputs outputs;
  Driver driver(model, /*attention=*/true);
  for (int copy = 0; copy < 30; ++copy) {
    driver.add(some_sources(), 0);
  }
  for (int step = 0; step < 3; ++step) {
    driver.step(outputs);
  }
  EXPECT_EQ(outputs, expected);
}

/// Rounding weights, to a 127th of the largest of their column or to bf16, moves logits a little, and every matrix is
/// rounded.
TEST_P(PackedModelFormats, StayCloseToSinglePrecision) {
  auto options = options_of_kind();
  options.d_model = 128;
  options.d_ff = 256;
  const auto model = random_model(options);
  const auto exact = together(packed(model), 4);
  const auto rounded = together(packed(model, format()), 4);
  double error = 0.0;
  double size = 0.0;
  for (const auto& [place, output] : exact) {
    const auto& other = rounded.at(place);
    for (std::size_t i = 0; i < output.logits.size(); ++i) {
      error += std::pow(output.logits[i] - other.logits[i], 2);
      size += std::pow(output.logits[i], 2);
    }
  }
  EXPECT_EQ(error > 0.0, format() != WeightFormat::kFloat);
  EXPECT_LT(std::sqrt(error / size), 0.03);
}

/// Panels end in zeros and between panels lies a cache line; apart from these a weight takes 4 bytes, or less.
TEST_F(PackedModelTest, TellsTheMemoryOfItsWeights) {
  auto options = small_options();
  options.d_model = 256;
  options.d_ff = 1024;
  const auto bytes_of = [](const trainer::Transformer& model, WeightFormat format) {
    return static_cast<double>(packed(model, format).weight_bytes());
  };
  const auto parameters_of = [](const trainer::Transformer& model) {
    return static_cast<double>(trainer::OperatorModel(model, c10::kCPU, Precision::kFp32).weight_bytes());
  };
  const auto model = random_model(options);
  const auto values = 4.0 * static_cast<double>(trainer::parameter_count(model));
  EXPECT_EQ(parameters_of(model), values);
  const double positions = 4.0 * 256 * 256;  // the table of sinusoids, once for both sides
  EXPECT_GE(bytes_of(model, WeightFormat::kFloat), values + positions);
  EXPECT_LE(bytes_of(model, WeightFormat::kFloat), 1.03 * values + positions);
  EXPECT_LE(bytes_of(model, WeightFormat::kInt8), 0.3 * values + positions);
  options.tie_embeddings = EmbeddingTying::kAll;
  const auto tied = random_model(options);
  const double table = 4.0 * kVocabulary * 256;
  EXPECT_NEAR(bytes_of(model, WeightFormat::kFloat) - bytes_of(tied, WeightFormat::kFloat), table, 0.5 * table);
}

TEST_F(PackedModelTest, SaysWhenLearnedPositionsEnd) {
  auto options = small_options();
  options.positions = PositionKind::kLearned;
  options.max_positions = 4;
  const auto model = packed(random_model(options));
  EXPECT_THROW(Driver(model).add({some_sources()[0]}, 0), RuntimeError);
  Driver driver(model);
  driver.add({{1, 5, 2}}, 0);
  Outputs outputs;
  for (int step = 0; step < 4; ++step) {
    driver.step(outputs);
  }
  EXPECT_THROW(driver.step(outputs), RuntimeError);
}

TEST_F(PackedModelTest, SaysWhichParameterIsMissingOrOfAnotherShape) {
  const auto model = random_model(small_options());
  const auto parameters = trainer::unique_parameters(model);
  const auto error_of = [&](const auto& change) {
    auto changed = parameters;
    change(changed);
    try {
      (void)pack_weights(model->options(), model->sizes(), trainer::arrays_of(changed), WeightFormat::kFloat, "x");
    } catch (const CheckpointError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of([](auto& list) {
              std::erase_if(list, [](const auto& item) {
                return item.first == "decoder.layers.1.feed_forward_block.linear_2.bias";
              });
            }),
            "x: these weights do not fit the model, whose sizes are those of the configuration: "
            "decoder.layers.1.feed_forward_block.linear_2.bias is missing");
  EXPECT_EQ(error_of([](auto& list) {
              for (auto& [name, tensor] : list) {
                if (name == "encoder.norm.alpha") {
                  tensor = at::ones({7});
                }
              }
            }),
            "x: these weights do not fit the model, whose sizes are those of the configuration: "
            "encoder.norm.alpha has shape [7], the model [32]");
}

}  // namespace
}  // namespace translate

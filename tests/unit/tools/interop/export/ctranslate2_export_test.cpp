#include "interop/export/ctranslate2_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "model/position_table.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kTarget = "decoder/embeddings/weight";

const StoredArray& variable(const CTranslate2Model& model, const std::string& name) {
  const auto found = std::ranges::find(model.variables, name, [](const auto& pair) { return pair.first; });
  if (found == model.variables.end()) {
    throw std::out_of_range(name);
  }
  return found->second;
}

template <class Number>
std::vector<Number> numbers(const CTranslate2Model& model, const std::string& name) {
  const auto& array = variable(model, name);
  const auto owner = array.numbers();
  const auto* data = static_cast<const Number*>(owner.get());
  return {data, data + array.count()};
}

std::vector<std::string> names(const CTranslate2Model& model) {
  std::vector<std::string> names;
  for (const auto& [name, array] : model.variables) {
    names.push_back(name);
  }
  return names;
}

std::vector<float> joined(const std::vector<std::vector<float>>& parts) {
  std::vector<float> all;
  for (const auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(CTranslate2Export, StacksTheProjectionsOfAttention) {
  const auto model = tiny_model();
  const auto exported = ctranslate2_model(model, StoredPrecision::kFp32);
  const std::string cross = "decoder.layers.0.cross_attention_block.";
  EXPECT_EQ(variable(exported, "decoder/layer_0/attention/linear_1/weight").shape, (std::vector<std::int64_t>{8, 4}));
  EXPECT_EQ(numbers<float>(exported, "decoder/layer_0/attention/linear_1/weight"),
            joined({weight_of(model, cross + "w_k.weight"), weight_of(model, cross + "w_v.weight")}));
  EXPECT_EQ(numbers<float>(exported, "decoder/layer_0/attention/linear_0/weight"),
            weight_of(model, cross + "w_q.weight"));
  const std::string own = "encoder.layers.0.self_attention_block.";
  EXPECT_EQ(variable(exported, "encoder/layer_0/self_attention/linear_0/weight").shape,
            (std::vector<std::int64_t>{12, 4}));
  EXPECT_EQ(numbers<float>(exported, "encoder/layer_0/self_attention/linear_0/weight"),
            joined({weight_of(model, own + "w_q.weight"), weight_of(model, own + "w_k.weight"),
                    weight_of(model, own + "w_v.weight")}));
  EXPECT_EQ(numbers<float>(exported, "encoder/layer_0/self_attention/linear_1/weight"),
            weight_of(model, own + "w_o.weight"));
}

TEST(CTranslate2Export, GivesEachSubLayerItsNorm) {
  const auto model = tiny_model();
  const auto exported = ctranslate2_model(model, StoredPrecision::kFp32);
  const auto norm = [&](const std::string& name, const std::string& ours) {
    EXPECT_EQ(numbers<float>(exported, name + "/layer_norm/gamma"), weight_of(model, ours + ".norm.alpha")) << name;
    EXPECT_EQ(numbers<float>(exported, name + "/layer_norm/beta"), weight_of(model, ours + ".norm.bias")) << name;
  };
  norm("encoder/layer_0/ffn", "encoder.layers.0.residual_connections.1");
  norm("decoder/layer_0/self_attention", "decoder.layers.0.residual_connections.0");
  norm("decoder/layer_0/attention", "decoder.layers.0.residual_connections.1");
  norm("decoder/layer_0/ffn", "decoder.layers.0.residual_connections.2");
  norm("decoder", "decoder");
}

TEST(CTranslate2Export, HasBiasesOfAttentionOnlyIfTheModelHas) {
  auto options = tiny_options();
  const std::string bias = "encoder/layer_0/self_attention/linear_0/bias";
  EXPECT_THAT(names(ctranslate2_model(tiny_model(options), StoredPrecision::kFp32)), Not(Contains(bias)));
  options.attention_bias = true;
  const auto exported = ctranslate2_model(tiny_model(options), StoredPrecision::kFp32);
  EXPECT_EQ(variable(exported, bias).shape, (std::vector<std::int64_t>{12}));
}

TEST(CTranslate2Export, StoresTiedWeightsOnceUnderTheFirstName) {
  auto options = tiny_options();
  const auto aliases = [&](EmbeddingTying tying) {
    options.tie_embeddings = tying;
    const auto exported = ctranslate2_model(tiny_model(options), StoredPrecision::kFp32);
    EXPECT_THAT(names(exported), Contains(kTarget));
    EXPECT_EQ(exported.variables.size() + exported.aliases.size(),
              ctranslate2_model(tiny_model(), StoredPrecision::kFp32).variables.size() + 1);
    return exported.aliases;
  };
  const auto positions = Pair("encoder/position_encodings/encodings", "decoder/position_encodings/encodings");
  EXPECT_THAT(aliases(EmbeddingTying::kNone), ElementsAre(positions));
  EXPECT_THAT(aliases(EmbeddingTying::kDecoder),
              UnorderedElementsAre(positions, Pair("decoder/projection/weight", kTarget)));
  EXPECT_THAT(aliases(EmbeddingTying::kAll), UnorderedElementsAre(positions, Pair("decoder/projection/weight", kTarget),
                                                                  Pair("encoder/embeddings_0/weight", kTarget)));
}

TEST(CTranslate2Export, ForbidsUnkSosAndPadByTheirBiases) {
  const auto model = tiny_model();
  auto expected = weight_of(model, "projection_layer.proj.bias");
  for (const std::size_t id : {0U, 1U, 3U}) {
    expected[id] = -1e4F;  // the ids of train_tokenizer
  }
  EXPECT_EQ(numbers<float>(ctranslate2_model(model, StoredPrecision::kFp32), "decoder/projection/bias"), expected);
}

TEST(CTranslate2Export, HasNormFinalNormsAndSettings) {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;
  options.activation = Activation::kGelu;
  options.embedding_scale = false;
  const auto post = ctranslate2_model(tiny_model(options), StoredPrecision::kFp32);
  EXPECT_THAT(names(post), Not(Contains("encoder/layer_norm/gamma")));
  for (const std::string stack : {"encoder", "decoder"}) {
    EXPECT_THAT(numbers<std::int8_t>(post, stack + "/pre_norm"), ElementsAre(0));
    EXPECT_THAT(numbers<std::int8_t>(post, stack + "/activation"), ElementsAre(3));
    EXPECT_THAT(numbers<std::int8_t>(post, stack + "/scale_embeddings"), ElementsAre(0));
    EXPECT_THAT(numbers<std::int16_t>(post, stack + "/num_heads"), ElementsAre(2));
  }
  EXPECT_THAT(numbers<std::int16_t>(post, "decoder/alignment_layer"), ElementsAre(-1));
  EXPECT_TRUE(variable(post, "decoder/alignment_layer").shape.empty());
}

TEST(CTranslate2Export, AlignsByTheFirstHeadsOfALayerIfTheModelDoes) {
  struct Case {
    std::optional<std::int64_t> head;
    std::int16_t layer;
    std::int16_t heads;
  };
  for (const auto& [head, layer, heads] : {Case{0, 0, 1}, Case{std::nullopt, 0, 2}, Case{1, -1, 1}}) {
    auto options = tiny_options();
    options.alignment_layer = 0;
    options.alignment_head = head;
    const auto model = ctranslate2_model(tiny_model(options), StoredPrecision::kFp32);
    EXPECT_THAT(numbers<std::int16_t>(model, "decoder/alignment_layer"), ElementsAre(layer));
    EXPECT_THAT(numbers<std::int16_t>(model, "decoder/alignment_heads"), ElementsAre(heads));
  }
}

TEST(CTranslate2Export, GivesEachNameOnceAtAnyDepth) {
  auto options = tiny_options();
  for (int layers = 1; layers <= 8; ++layers) {
    options.encoder_layers = options.decoder_layers = layers;
    for (const bool zero_start : {false, true}) {
      options.zero_start = zero_start;
      for (const auto precision : {StoredPrecision::kFp32, StoredPrecision::kInt8}) {
        const auto exported = ctranslate2_model(tiny_model(options), precision);
        auto all = names(exported);
        for (const auto& [alias, name] : exported.aliases) {
          all.push_back(alias);
        }
        std::ranges::sort(all);
        EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << layers << " layers";
        EXPECT_THAT(numbers<std::int8_t>(exported, "decoder/start_from_zero_embedding"), ElementsAre(zero_start));
      }
    }
  }
}

TEST(CTranslate2Export, ExpressesReferenceNorms) {
  auto options = tiny_options();
  options.layer_norm = LayerNormKind::kReference;
  options.layer_norm_epsilon = 1e-6;
  const auto model = tiny_model(options);
  auto expected = weight_of(model, "decoder.norm.alpha");
  for (auto& value : expected) {
    value *= std::sqrt(0.75F);  // (d - 1) / d of width 4
  }
  EXPECT_THAT(numbers<float>(ctranslate2_model(model, StoredPrecision::kFp32), "decoder/layer_norm/gamma"),
              ::testing::Pointwise(::testing::FloatEq(), expected));
  options.layer_norm_epsilon = 0.01;
  EXPECT_THAT(error_of<ConfigError>([&] { return ctranslate2_model(tiny_model(options), StoredPrecision::kFp32); }),
              HasSubstr("CTranslate2 cannot hold this model: its norms divide by the deviation plus "
                        "model.layer_norm_epsilon = 0.01"));
}

TEST(CTranslate2Export, WritesPositions) {
  auto options = tiny_options();
  const std::string target = "decoder/position_encodings/encodings";
  auto model = tiny_model(options);
  EXPECT_EQ(numbers<float>(ctranslate2_model(model, StoredPrecision::kFp32), target), sinusoidal_table(2048, 4));
  model.config.data.max_length = 3000;
  EXPECT_EQ(numbers<float>(ctranslate2_model(model, StoredPrecision::kFp32), target), sinusoidal_table(3002, 4));
  options.positions = PositionKind::kNone;
  EXPECT_THAT(numbers<float>(ctranslate2_model(tiny_model(options), StoredPrecision::kFp32), target),
              ::testing::Each(0.0F));
  options.positions = PositionKind::kLearned;
  model = tiny_model(options);
  const auto learned = ctranslate2_model(model, StoredPrecision::kFp32);
  EXPECT_EQ(numbers<float>(learned, target), weight_of(model, "tgt_pos.embedding.weight"));
  EXPECT_EQ(numbers<float>(learned, "encoder/position_encodings/encodings"),
            weight_of(model, "src_pos.embedding.weight"));
}

TEST(CTranslate2Export, RoundsMatricesToEightBitsRowByRow) {
  auto model = tiny_model();
  const std::string ours = "encoder.layers.0.feed_forward_block.linear_2.weight";  // (4, 6)
  std::vector<float> values(24, 0.0F);                                             // the last row stays 0
  for (std::size_t i = 0; i < 18; ++i) {
    values[i] = static_cast<float>(i) - 9.0F;
  }
  const auto place = std::ranges::find(model.weights, ours, [](const auto& weight) { return weight.first; });
  place->second = stored_floats({4, 6}, values);
  const auto exported = ctranslate2_model(model, StoredPrecision::kInt8);
  const std::string name = "encoder/layer_0/ffn/linear_1/weight";
  EXPECT_THAT(numbers<float>(exported, name + "_scale"), ElementsAre(127.0F / 9, 127.0F / 3, 127.0F / 8, 1.0F));
  EXPECT_EQ(variable(exported, name).shape, (std::vector<std::int64_t>{4, 6}));
  EXPECT_THAT(numbers<std::int8_t>(exported, name),
              ElementsAreArray({-127, -113, -99, -85, -71, -56, -127, -85, -42, 0, 42, 85,  //
                                48,   64,   79,  95,  111, 127, 0,    0,   0,   0, 0,  0}));
  EXPECT_EQ(variable(exported, "decoder/layer_0/ffn/linear_0/bias").dtype, NumberType::kFloat32);
  EXPECT_EQ(variable(exported, "decoder/position_encodings/encodings").dtype, NumberType::kFloat32);
  EXPECT_EQ(variable(exported, kTarget).dtype, NumberType::kInt8);
}

TEST(CTranslate2Export, RefusesWeightsOfAnotherModel) {
  auto model = tiny_model();
  model.weights.pop_back();
  EXPECT_THAT(error_of<CheckpointError>([&] { return ctranslate2_model(model, StoredPrecision::kFp32); }),
              HasSubstr("projection_layer.proj.bias is missing"));
}

class CTranslate2FolderTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] nlohmann::json json(const std::string& file) const {
    return nlohmann::json::parse(read_file(folder_ / file));
  }
};

TEST_F(CTranslate2FolderTest, HasTheConfigurationAndOneVocabularyIfItIsShared) {
  const auto model = tiny_model();
  export_ctranslate2(model, StoredPrecision::kFp32, folder_);
  EXPECT_EQ(json("config.json"), nlohmann::json::parse(R"({"add_source_bos": true, "add_source_eos": true,
      "bos_token": "<s>", "decoder_start_token": "<s>", "eos_token": "</s>", "layer_norm_epsilon": 1e-05,
      "multi_query_attention": false, "unk_token": "<unk>"})"));
  const auto vocabulary = json("shared_vocabulary.json");
  ASSERT_EQ(std::ssize(vocabulary), model.tokenizers.target.vocab_size());
  EXPECT_EQ(vocabulary[2], "</s>");
  EXPECT_EQ(vocabulary[4], model.tokenizers.target.subword(4));
  EXPECT_EQ(read_file(folder_ / "source.spm"), model.tokenizers.source.serialized());
  EXPECT_EQ(read_file(folder_ / "target.spm"), model.tokenizers.target.serialized());
  EXPECT_THAT(read_file(folder_ / "README.md"), HasSubstr("library_name: ctranslate2"));
}

TEST_F(CTranslate2FolderTest, HasTwoVocabulariesIfTheyDiffer) {
  const auto model =
      tiny_model(tiny_options(), {tiny_tokenizer(), tiny_tokenizer(TokenizerType::kBpe, "le chat dort")});
  export_ctranslate2(model, StoredPrecision::kFp32, folder_);
  EXPECT_EQ(json("source_vocabulary.json")[5], model.tokenizers.source.subword(5));
  EXPECT_EQ(json("target_vocabulary.json")[5], model.tokenizers.target.subword(5));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "shared_vocabulary.json"));
}

}  // namespace
}  // namespace translate::tools

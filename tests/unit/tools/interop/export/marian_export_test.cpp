#include "interop/export/marian_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"
#include "interop/marian/marian_model.h"
#include "interop/marian/marian_options.h"
#include "interop/marian/npz_file.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/temporary_folder.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kMarianGolden = project_folder() / "tests/golden/marian";

std::map<std::string, NpyArray> arrays_of(const fs::path& npz) {
  return read_npz(ZipArchive(std::make_shared<const StableFile>(npz)));
}

std::vector<std::string> subwords_of(const Tokenizer& tokenizer) {
  std::vector<std::string> subwords;
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    subwords.push_back(tokenizer.subword(id));
  }
  return subwords;
}

ModelToExport to_export(LoadedModel loaded) {
  return {.config = std::move(loaded.config),
          .tokenizers = std::move(loaded.tokenizers),
          .weights = std::move(loaded.weights),
          .origin = "model.npz",
          .facts = {.title = "golden", .directions = {}, .step = {}, .score = {}, .is_average = false}};
}

std::vector<float> numbers_of(const StoredArray& array) {
  const auto numbers = as_floats(array, "a weight");
  return {numbers.get(), numbers.get() + array.count()};
}

/// A model of Marian, read and written again.
class MarianRoundTrip : public TemporaryFolderTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(MarianRoundTrip, KeepsEveryBit) {
  const auto model = to_export(open_marian_model(kMarianGolden / GetParam()));
  export_marian(model, folder_);
  const auto again = open_marian_model(folder_);
  EXPECT_EQ(again.config.model, model.config.model);
  EXPECT_EQ(again.config.decoding, model.config.decoding);
  EXPECT_EQ(subwords_of(again.tokenizers.source), subwords_of(model.tokenizers.source));
  EXPECT_EQ(subwords_of(again.tokenizers.target), subwords_of(model.tokenizers.target));
  EXPECT_EQ(again.tokenizers.source.encode("The cat sat."), model.tokenizers.source.encode("The cat sat."));
  ASSERT_EQ(again.weights.size(), model.weights.size());
  for (std::size_t i = 0; i < again.weights.size(); ++i) {
    EXPECT_EQ(again.weights[i].first, model.weights[i].first);
    EXPECT_EQ(numbers_of(again.weights[i].second), numbers_of(model.weights[i].second)) << model.weights[i].first;
  }
  const auto original = kMarianGolden / GetParam() / "model.npz";
  if (!fs::exists(original)) {
    return;  // the quantized one
  }
  const auto written = arrays_of(folder_ / "model.npz");
  for (const auto& [name, array] : arrays_of(original)) {
    if (!name.starts_with("special:")) {
      EXPECT_EQ(written.at(name).shape, array.shape) << name;
      EXPECT_EQ(written.at(name).bytes, array.bytes) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MarianRoundTrip, ::testing::Values("all", "none", "ssru", "firefox"));

/// Options of a model that Marian computes, with subwords as they are trained here.
ModelOptions marian_shape() {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;
  options.layer_norm_epsilon = 1e-6;
  options.sinusoid_layout = SinusoidLayout::kHalves;
  options.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  options.zero_start = true;
  options.attention_bias = true;
  return options;
}

ModelToExport marian_model(const ModelOptions& options = marian_shape()) {
  const auto tokenizer = tiny_tokenizer();
  return tiny_model(options, {tokenizer.for_sources(/*source_sos=*/false), tokenizer.for_targets()});
}

class MarianExport : public TemporaryFolderTest {};

TEST_F(MarianExport, OfAModelTrainedHereKeepsWhatMarianComputesWith) {
  for (const auto norm : {NormPlacement::kPost, NormPlacement::kPre}) {
    for (const auto decoder : {DecoderKind::kTransformer, DecoderKind::kSsru}) {
      for (const auto tying : {EmbeddingTying::kNone, EmbeddingTying::kDecoder, EmbeddingTying::kAll}) {
        auto options = marian_shape();
        options.norm = norm;
        options.decoder = decoder;
        options.tie_embeddings = tying;
        const auto model = marian_model(options);
        const auto folder = folder_ / (to_string(norm) + to_string(decoder) + to_string(tying));
        make_folder(folder);
        export_marian(model, folder);
        EXPECT_TRUE(fs::exists(folder / "vocab.spm"));
        const auto again = open_marian_model(folder);
        const auto special = model.tokenizers.target.special_tokens();
        for (const auto& [name, array] : again.weights) {
          auto numbers = numbers_of(array);
          auto expected = weight_of(model, name);
          if (name == "projection_layer.proj.bias") {  // of subwords that Marian would generate
            for (const auto id : {special.sos, special.pad}) {
              expected[static_cast<std::size_t>(id)] = -1e4F;
            }
          }
          ASSERT_LE(expected.size(), numbers.size());  // it has one more padding
          numbers.resize(expected.size());
          EXPECT_EQ(numbers, expected) << folder << ": " << name;
        }
      }
    }
  }
}

TEST_F(MarianExport, AbsentBiasesOfAttentionAreZero) {
  auto options = marian_shape();
  options.attention_bias = false;
  export_marian(marian_model(options), folder_);
  EXPECT_EQ(arrays_of(folder_ / "model.npz").at("encoder_l1_self_bq").floats("b"), std::vector<float>(4, 0.0F));
}

TEST_F(MarianExport, HasTheSearchAndACardThatTellsOfDifferences) {
  auto model = marian_model();
  model.config.decoding.beam_size = 6;
  model.config.decoding.length_penalty_kind = LengthPenaltyKind::kAverage;
  model.config.decoding.length_penalty = 0.5;
  model.facts.license = "CC-BY-4.0";
  export_marian(model, folder_);
  const auto decoder = read_marian_decoder(read_file(folder_ / "decoder.yml"), "decoder.yml");
  EXPECT_EQ(decoder.decoding.beam_size, 6);
  EXPECT_EQ(decoder.decoding.length_penalty, 0.5);
  EXPECT_EQ(decoder.decoding.max_length, model.config.decoding.max_length);
  const auto card = read_file(folder_ / "README.md");
  EXPECT_THAT(card, AllOf(HasSubstr("marian-decoder --config decoder.yml"), HasSubstr("license: \"CC-BY-4.0\""),
                          Not(HasSubstr("may differ"))));
  model.config.decoding.length_penalty_kind = LengthPenaltyKind::kGnmt;
  export_marian(model, folder_);
  EXPECT_THAT(read_file(folder_ / "README.md"), HasSubstr("Marian's `normalize` divides by length^0.5"));
}

TEST_F(MarianExport, TellsTheHeadThatWasTrainedToAlign) {
  auto options = marian_shape();
  EXPECT_THAT(marian_settings(options, 9, 9), HasSubstr("transformer-guided-alignment-layer: last\n"));
  options.alignment_layer = 0;
  options.alignment_head = 0;
  EXPECT_THAT(marian_settings(options, 9, 9), HasSubstr("transformer-guided-alignment-layer: 1\n"));
}

TEST_F(MarianExport, WhatMarianDoesNotComputeIsRefused) {
  const auto refusal = [&](const std::function<void(ModelOptions&)>& change) {
    auto model = marian_model();
    change(model.config.model);
    return testing::error_of<ConfigError>([&] { check_marian(model); });
  };
  EXPECT_EQ(refusal([](auto& options) { options.zero_start = false; }),
            "Marian cannot hold this model: model.zero_start is false, and there it is true; train with that to export "
            "to marian");
  EXPECT_THAT(refusal([](auto& options) { options.sinusoid_layout = SinusoidLayout::kInterleaved; }),
              HasSubstr("model.sinusoid_layout is \"interleaved\", and there it is \"halves\""));
  EXPECT_THAT(refusal([](auto& options) { options.sinusoid_frequencies = SinusoidFrequencies::kPaper; }),
              HasSubstr("model.sinusoid_frequencies is \"paper\""));
  EXPECT_THAT(refusal([](auto& options) { options.positions = PositionKind::kLearned; }),
              HasSubstr("model.positions is \"learned\""));
  EXPECT_THAT(refusal([](auto& options) { options.embedding_scale = false; }),
              HasSubstr("model.embedding_scale is false"));
  EXPECT_THAT(refusal([](auto& options) { options.layer_norm = LayerNormKind::kRms; }), HasSubstr("RMSNorm"));
  EXPECT_THAT(refusal([](auto& options) { options.layer_norm_epsilon = 0.01; }),
              HasSubstr("model.layer_norm_epsilon = 0.01, and there it is 1e-06"));
  EXPECT_THAT(refusal([](auto& options) { options.activation = Activation::kGelu; }), HasSubstr("\"gelu\""));
  const auto with_sos = tiny_model(marian_shape());
  EXPECT_THAT(testing::error_of<ConfigError>([&] { check_marian(with_sos); }),
              HasSubstr("train with tokenizer.source_sos false"));
  const auto words = tiny_tokenizer(TokenizerType::kWordLevel);
  EXPECT_THAT(testing::error_of<ConfigError>([&] {
                check_marian(tiny_model(marian_shape(), {words, words}));
              }),
              HasSubstr("its tokenizers are word-level"));
}

}  // namespace
}  // namespace translate::tools

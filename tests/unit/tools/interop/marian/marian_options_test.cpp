#include "interop/marian/marian_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kModel =
    "type: transformer\ndim-emb: 16\nenc-depth: 2\ndec-depth: 1\ntransformer-heads: 2\ntransformer-dim-ffn: 24\n";

std::string refusal(const std::string& more) {
  return testing::error_of<CheckpointError>([&] { (void)read_marian_options(kModel + more, "m.npz"); });
}

TEST(MarianOptions, HaveMariansDefaults) {
  const auto options = read_marian_options(kModel, "m.npz");
  EXPECT_EQ(options.d_model, 16);
  EXPECT_EQ(options.encoder_layers, 2);
  EXPECT_EQ(options.decoder_layers, 1);
  EXPECT_EQ(options.num_heads, 2);
  EXPECT_EQ(options.d_ff, 24);
  EXPECT_EQ(options.norm, NormPlacement::kPost);
  EXPECT_EQ(options.activation, Activation::kSwish);
  EXPECT_EQ(options.tie_embeddings, EmbeddingTying::kNone);
  EXPECT_TRUE(options.attention_bias);
}

TEST(MarianOptions, KnowBothPlacesOfTheNorm) {
  const auto options = read_marian_options(std::string(kModel) +
                                               "transformer-preprocess: n\ntransformer-postprocess: da\n"
                                               "transformer-postprocess-top: n\ntied-embeddings-all: true\n"
                                               "transformer-ffn-activation: relu\n",
                                           "m.npz");
  EXPECT_EQ(options.norm, NormPlacement::kPre);
  EXPECT_EQ(options.activation, Activation::kRelu);
  EXPECT_EQ(options.tie_embeddings, EmbeddingTying::kAll);
  EXPECT_THAT(refusal("transformer-preprocess: n\n"), HasSubstr("m.npz: transformer-preprocess: \"n\" with"));
}

TEST(MarianOptions, WhatIsNotComputedIsRefused) {
  EXPECT_THAT(
      refusal("transformer-ffn-activation: gelu\n"),
      HasSubstr("m.npz: transformer-ffn-activation: \"gelu\" is not supported; expected \"swish\" or \"relu\""));
  EXPECT_THAT(refusal("transformer-tied-layers: [1, 1]\n"), HasSubstr("transformer-tied-layers: tied layers"));
  EXPECT_THAT(refusal("transformer-train-position-embeddings: true\n"), HasSubstr("\"true\" is not supported"));
  EXPECT_THAT(refusal("transformer-decoder-dim-ffn: 99\n"), HasSubstr("transformer-decoder-dim-ffn: \"99\""));
  EXPECT_THAT(refusal("lemma-dim-emb: 8\n"), HasSubstr("lemma-dim-emb: \"8\""));
  EXPECT_THAT(refusal("transformer-no-projection: [1]\n"), HasSubstr("transformer-no-projection: damaged"));
  const auto error = [](const std::string& yaml) {
    return testing::error_of<CheckpointError>([&] { (void)read_marian_options(yaml, "m.npz"); });
  };
  EXPECT_THAT(error("type: s2s\n"), HasSubstr("m.npz: type: \"s2s\" is not supported; expected \"transformer\""));
  EXPECT_THAT(error("type: transformer\n"), HasSubstr("m.npz: dim-emb: missing"));
  EXPECT_THAT(error("[1, 2]"), HasSubstr("m.npz: damaged: expected keys and values"));
}

TEST(MarianOptions, NumbersOutOfRangeAreRefused) {
  EXPECT_THAT(refusal("transformer-dropout: -0.1\n"), HasSubstr("transformer-dropout: expected 0 to 1 (1 excluded)"));
  EXPECT_THAT(refusal("transformer-dropout-ffn: 1\n"), HasSubstr("transformer-dropout-ffn: expected 0 to 1"));
  const auto decoder = [](const std::string& line) {
    return testing::error_of<CheckpointError>(
        [&] { (void)read_marian_decoder("models: [m.npz]\nvocabs: [v.yml, v.yml]\n" + line, "decoder.yml"); });
  };
  EXPECT_THAT(decoder("beam-size: -3\n"), HasSubstr("decoder.yml: beam-size: expected 1 to 2147483648, found -3"));
  EXPECT_THAT(decoder("max-length: 0\n"), HasSubstr("decoder.yml: max-length: expected 1 to"));
  EXPECT_THAT(decoder("allow-unk: true\n"), HasSubstr("decoder.yml: allow-unk: \"true\" is not supported"));
  EXPECT_THAT(decoder("output-sampling: [topk, 10]\n"), HasSubstr("decoder.yml: output-sampling: sampling is not"));
}

TEST(MarianVocabulary, IsReadById) {
  EXPECT_THAT(read_marian_vocabulary("</s>: 0\n\"\\\"\": 2\n<unk>: 1\n", "v.yml"), ElementsAre("</s>", "<unk>", "\""));
}

TEST(MarianVocabulary, AKeyThatIsNoTextIsNamedByItsLine) {
  for (const char* key : {"? [a]\n", "? {b: c}\n"}) {
    const auto error = testing::error_of<CheckpointError>(
        [&] { (void)read_marian_vocabulary(std::string("</s>: 0\n") + key + ": 1\n", "v.yml"); });
    EXPECT_EQ(error, "v.yml: line 2: expected a subword, found a list or a map");
  }
}

}  // namespace
}  // namespace translate

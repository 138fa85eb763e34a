#include "interop/marian/marian_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::tools {
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

TEST(MarianOptions, KnowRecurrentDecoders) {
  const auto recurrent = std::string(kModel) + "transformer-decoder-autoreg: rnn\n";
  EXPECT_EQ(read_marian_options(recurrent + "dec-cell: ssru\n", "m.npz").decoder, DecoderKind::kSsru);
  EXPECT_EQ(read_marian_options(std::string(kModel) + "dec-cell: gru\n", "m.npz").decoder, DecoderKind::kTransformer);
  EXPECT_THAT(refusal("transformer-decoder-autoreg: rnn\ndec-cell: gru\n"),
              HasSubstr("m.npz: dec-cell: \"gru\" is not supported; expected \"ssru\""));
  EXPECT_THAT(refusal("transformer-decoder-autoreg: rnn\ndec-cell: ssru\nlayer-normalization: true\n"),
              HasSubstr("layer-normalization: true is not supported"));
  EXPECT_THAT(refusal("transformer-decoder-autoreg: average-attention\n"),
              HasSubstr("\"average-attention\" is not supported; expected \"self-attention\" or \"rnn\""));
}

TEST(MarianOptions, NameTheHeadThatWasTrainedToAlign) {
  const auto deep = std::string(kModel) + "transformer-guided-alignment-layer: ";
  const auto aligning = [](const std::string& yaml, const std::string& name = "model.npz") {
    return read_marian_options(yaml, "m.npz", name);
  };
  EXPECT_FALSE(aligning(deep + "last\n").alignment_layer);
  EXPECT_FALSE(aligning(deep + "last\nguided-alignment: none\n").alignment_layer);
  EXPECT_EQ(aligning(deep + "last\nguided-alignment: corpus.aln\n").alignment_layer, 0);
  EXPECT_EQ(aligning(deep + "last\nguided-alignment: corpus.aln\n").alignment_head, 0);
  EXPECT_EQ(aligning(kModel, "opus.spm32k-spm32k.transformer-align.model1.npz").alignment_head, 0);
  EXPECT_EQ(aligning(deep + "1\nguided-alignment: corpus.aln\n").alignment_layer, 0);
  EXPECT_THAT(refusal("guided-alignment: a\ntransformer-guided-alignment-layer: 2\n"),
              HasSubstr("m.npz: transformer-guided-alignment-layer: expected an integer from 1 to 1"));
}

TEST(MarianOptions, WhatIsNotComputedIsRefused) {
  EXPECT_THAT(
      refusal("transformer-ffn-activation: gelu\n"),
      HasSubstr("m.npz: transformer-ffn-activation: \"gelu\" is not supported; expected \"swish\" or \"relu\""));
  EXPECT_THAT(refusal("transformer-tied-layers: [1, 1]\n"),
              HasSubstr("transformer-tied-layers: a list is not supported"));
  EXPECT_THAT(refusal("transformer-train-position-embeddings: true\n"), HasSubstr("true is not supported"));
  EXPECT_THAT(refusal("transformer-decoder-dim-ffn: 99\n"),
              HasSubstr("transformer-decoder-dim-ffn: 99 is not supported; expected 0 or 24"));
  EXPECT_THAT(refusal("lemma-dim-emb: 8\n"), HasSubstr("lemma-dim-emb: 8"));
  EXPECT_THAT(refusal("input-types: [class, sequence]\n"), HasSubstr("input-types: a list is not supported"));
  EXPECT_THAT(refusal("right-left: true\n"), HasSubstr("right-left: true"));
  EXPECT_THAT(refusal("transformer-postprocess: dar\n"), HasSubstr("transformer-postprocess \"dar\""));
  EXPECT_THAT(refusal("transformer-disable-position-embeddings: true\n"), HasSubstr("true is not supported"));
  EXPECT_THAT(refusal("transformer-no-projection: [1]\n"),
              HasSubstr("transformer-no-projection: a list is not supported; expected false"));
  const auto error = [](const std::string& yaml) {
    return testing::error_of<CheckpointError>([&] { (void)read_marian_options(yaml, "m.npz"); });
  };
  EXPECT_THAT(error("type: s2s\n"), HasSubstr("m.npz: type: \"s2s\" is not supported; expected \"transformer\""));
  EXPECT_THAT(error("type: transformer\n"), HasSubstr("m.npz: dim-emb: missing"));
  EXPECT_THAT(error("[1, 2]"), HasSubstr("m.npz: damaged: expected keys and values"));
}

TEST(MarianOptions, NumbersOutOfRangeAreRefused) {
  EXPECT_THAT(refusal("transformer-dropout: -0.1\n"),
              HasSubstr("transformer-dropout: expected a number from 0 to 1 (1 excluded)"));
  EXPECT_THAT(refusal("transformer-dropout-ffn: 1\n"),
              HasSubstr("transformer-dropout-ffn: expected a number from 0 to 1"));
  const auto decoder = [](const std::string& line) {
    return testing::error_of<CheckpointError>(
        [&] { (void)read_marian_decoder("models: [m.npz]\nvocabs: [v.yml, v.yml]\n" + line, "decoder.yml"); });
  };
  EXPECT_THAT(decoder("beam-size: -3\n"),
              HasSubstr("decoder.yml: beam-size: expected an integer from 1 to 2147483648, got -3"));
  EXPECT_THAT(decoder("max-length: 0\n"), HasSubstr("decoder.yml: max-length: expected an integer from 1 to"));
  EXPECT_THAT(decoder("allow-unk: true\n"), HasSubstr("decoder.yml: allow-unk: true is not supported"));
  EXPECT_THAT(decoder("output-sampling: [topk, 10]\n"), HasSubstr("decoder.yml: output-sampling: sampling is not"));
}

TEST(MarianOptions, YamlIsReadStrictly) {
  EXPECT_THAT(refusal("dim-emb: 18\n"), HasSubstr("m.npz: damaged: the key \"dim-emb\" is given twice"));
  EXPECT_THAT(refusal("more: &a [*a]\n"), HasSubstr("m.npz: damaged: nested too deeply, or more aliases than text"));
  std::string aliases = "x0: &x0 [1]\n";
  for (int i = 1; i < 40; ++i) {
    const auto before = "*x" + std::to_string(i - 1);
    aliases += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [" + before + ", " + before + "]\n";
  }
  EXPECT_THAT(refusal(aliases), HasSubstr("more aliases than text"));
  EXPECT_THAT(refusal(std::string("more: ") + std::string(200, '[') + std::string(200, ']')),
              HasSubstr("m.npz: damaged"));
  EXPECT_THAT(refusal("transformer-ffn-activation: swish\xFF\n"), HasSubstr("\"swish\uFFFD\" is not supported"));
  EXPECT_THAT(refusal("transformer-dropout: .nan\n"), HasSubstr("got \".nan\""));
  EXPECT_THAT(refusal("tied-embeddings: \"true\"\n"), HasSubstr("tied-embeddings: expected true or false, got"));
  EXPECT_EQ(read_marian_options(std::string(kModel) + "transformer-dropout: ~\nlemma-dim-emb:\n", "m.npz").dropout,
            0.0);
}

TEST(MarianVocabulary, IsReadById) {
  EXPECT_THAT(read_marian_vocabulary("</s>: 0\n\"\\\"\": 2\n<unk>: 1\n", "v.yml"), ElementsAre("</s>", "<unk>", "\""));
}

TEST(MarianVocabulary, SubwordsThatLookLikeOtherValuesAreText) {
  EXPECT_THAT(read_marian_vocabulary("true: 0\nnull: 1\n12: 2\n1.50: 3\n", "v.yml"),
              ElementsAre("true", "null", "12", "1.50"));
}

TEST(MarianVocabulary, IdsAreOneForEachSubword) {
  const auto error = [](const std::string& yaml) {
    return testing::error_of<CheckpointError>([&] { (void)read_marian_vocabulary(yaml, "v.yml"); });
  };
  EXPECT_EQ(error("a: 0\nb: 2\n"), "v.yml: b: expected an id from 0 to 1, a number for each subword, got 2");
  EXPECT_EQ(error("a: 0\nb: 0\n"), "v.yml: b: has the id 0 of \"a\"");
}

TEST(MarianVocabulary, AKeyThatIsNoTextIsNamedByItsLine) {
  for (const char* key : {"? [a]\n", "? {b: c}\n"}) {
    const auto error = testing::error_of<CheckpointError>(
        [&] { (void)read_marian_vocabulary(std::string("</s>: 0\n") + key + ": 1\n", "v.yml"); });
    EXPECT_EQ(error, "v.yml: damaged: line 2: expected a key, got a list or a map");
  }
}

}  // namespace
}  // namespace translate::tools

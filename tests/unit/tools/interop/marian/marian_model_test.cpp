#include "interop/marian/marian_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "decoding/model_source.h"
#include "interop/marian/marian_files.h"
#include "operators/operator_model.h"
#include "support/error_of.h"
#include "support/folders.h"
#include "support/marian_archive.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const fs::path kGolden = project_folder() / "tests/golden/marian";

/// What Marian itself translates to, and the score of each subword.
class MarianGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(MarianGolden, TranslatesAndScoresAsMarianDoes) {
  const auto expected = nlohmann::json::parse(read_file(kGolden / "expected.json")).at(GetParam());
  const std::vector<LoadedModel> models = {open_marian_model(kGolden / GetParam())};
  for (const auto& entry : expected) {
    auto options = options_for_models(models);
    options.decoding.beam_size = 1;
    options.decoding.max_length = entry.at("limit");
    options.warn = false;
    auto translator = make_translator(models, {.device = "cpu", .precision = "fp32"}, options);
    const auto found = translator.translate(std::vector<std::string>{entry.at("source")}).front();
    EXPECT_EQ(found.tokens, entry.at("tokens").get<std::vector<std::string>>()) << entry.at("source");
    const auto scores = entry.at("scores").get<std::vector<double>>();
    ASSERT_EQ(found.token_scores.size(), scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(found.token_scores[i], scores[i], 5e-4) << entry.at("source") << ", subword " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MarianGolden, ::testing::Values("all", "none", "ssru", "firefox"));

std::string bytes_of(const StoredArray& array) {
  const auto numbers = as_floats(array, "a weight");
  return {reinterpret_cast<const char*>(numbers.get()), static_cast<std::size_t>(array.count()) * sizeof(float)};
}

/// A copy of a golden model, to be damaged.
class MarianModelTest : public TemporaryFolderTest {
 protected:
  void SetUp() override { fs::copy(kGolden / "all", folder_ / "model"); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / "model" / name, std::ios::binary) << content;
  }

  /// Replaces a part of a file.
  void replace(const std::string& name, const std::string& part, const std::string& by) const {
    auto content = read_file(folder_ / "model" / name);
    const auto place = content.find(part);
    ASSERT_NE(place, std::string::npos) << name << " has no " << part;
    write(name, content.replace(place, part.size(), by));
  }

  [[nodiscard]] std::string refusal() const {
    return testing::error_of<CheckpointError>([&] { (void)open_marian_model(folder_ / "model"); });
  }
};

TEST_F(MarianModelTest, HasMariansComputationAndSearch) {
  EXPECT_TRUE(is_marian_model(folder_ / "model"));
  const auto model = open_marian_model(folder_ / "model");
  EXPECT_EQ(model.config.model.sinusoid_layout, SinusoidLayout::kHalves);
  EXPECT_EQ(model.config.model.sinusoid_frequencies, SinusoidFrequencies::kTensor2Tensor);
  EXPECT_TRUE(model.config.model.zero_start);
  EXPECT_EQ(model.config.model.layer_norm_epsilon, 1e-6);
  EXPECT_EQ(model.config.decoding.beam_size, 3);
  EXPECT_EQ(model.config.decoding.length_penalty, 1.0);
  EXPECT_EQ(model.config.decoding.max_length_ratio, 3.0);
  EXPECT_FALSE(model.tokenizers.source.special_tokens().source_sos);
  const auto& special = model.tokenizers.target.special_tokens();
  EXPECT_EQ(special.pad, model.tokenizers.target.vocab_size() - 1);  // added after Marian's own
  EXPECT_EQ(special.sos, special.pad);
}

TEST_F(MarianModelTest, WhatIsMissingOrUnsupportedIsNamed) {
  replace("decoder.yml", "model.npz", "other.npz");
  EXPECT_THAT(refusal(), HasSubstr("other.npz: missing"));
  replace("decoder.yml", "other.npz", "model.txt");
  EXPECT_THAT(refusal(), HasSubstr("model.txt: expected a file of weights, .npz or .bin"));
  replace("decoder.yml", "model.txt", "model.bin");
  EXPECT_THAT(refusal(), HasSubstr("model.bin: missing"));
  write("model.bin", read_file(folder_ / "model/model.npz"));
  EXPECT_THAT(refusal(), HasSubstr("model.bin: not a model of Marian: it begins with the version "));
  write("decoder.yml", "models: [a.npz, b.npz]\nvocabs: [v.yml, v.yml]\n");
  EXPECT_THAT(refusal(), HasSubstr("decoder.yml: models: 2 models; expected 1"));
  write("decoder.yml", "models: [a.npz]\n");
  EXPECT_THAT(refusal(), HasSubstr("decoder.yml: vocabs: missing"));
  write("decoder.yml", "models: [a.npz\n");
  EXPECT_THAT(refusal(), HasSubstr("decoder.yml: damaged: "));
}

TEST_F(MarianModelTest, AFolderOrPipeInPlaceOfAFileIsNamedAsSuch) {
  const auto error = [&] {
    return testing::error_of<RuntimeError>([&] { (void)open_marian_model(folder_ / "model"); });
  };
  for (const std::string name : {"model.npz", "vocab.yml", "source.spm", "decoder.yml"}) {
    const auto file = folder_ / "model" / name;
    fs::rename(file, folder_ / "aside");
    fs::create_directory(file);
    EXPECT_THAT(error(), HasSubstr(name + ": cannot be read: Is a directory"));
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_TRUE(is_marian_model(folder_ / "model"));
    EXPECT_THAT(error(), HasSubstr(name + ": cannot be read: it is a pipe or a device, expected a file"));
    fs::remove(file);
    fs::rename(folder_ / "aside", file);
  }
}

TEST_F(MarianModelTest, AnArchiveOfTwoModelsIsRefused) {
  const auto decoder = read_file(folder_ / "model/decoder.yml");
  std::ofstream(folder_ / "two.zip", std::ios::binary)
      << zip_of({{"decoder.yml", decoder}, {"old/decoder.yml", decoder}});
  EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)open_marian_model(folder_ / "two.zip"); }),
              HasSubstr("two.zip: it has \"decoder.yml\" and \"old/decoder.yml\", expected one decoder.yml"));
}

TEST_F(MarianModelTest, ADamagedArrayIsNamedWithItsFile) {
  auto arrays = marian_arrays(kGolden / "all/model.npz");
  arrays.front().second = "no array";
  write("model.npz", zip_of(arrays));
  const auto name = arrays.front().first.substr(0, arrays.front().first.size() - 4);
  EXPECT_THAT(refusal(), HasSubstr("model/model.npz: " + name + ": damaged: not a NumPy array"));
}

TEST_F(MarianModelTest, AVocabularyOfAnotherSizeIsRefused) {
  auto vocabulary = read_file(folder_ / "model/vocab.yml");
  write("vocab.yml", vocabulary + "\"more\": 1000\n");
  EXPECT_THAT(refusal(), HasSubstr("vocab.yml: more: expected an id from 0 to "));
  const auto lines = std::ranges::count(vocabulary, '\n');
  write("vocab.yml", vocabulary + "\"more\": " + std::to_string(lines) + "\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("model.npz: Wemb has shape ["), HasSubstr("expected [")));
  fs::remove(folder_ / "model/source.spm");
  write("vocab.yml", vocabulary);
  EXPECT_THAT(refusal(), HasSubstr("source.spm: missing"));
}

TEST_F(MarianModelTest, MoreLayersThanArraysAreRefusedBeforeTheyTakeMemory) {
  const std::string sizes = "type: transformer\ndim-emb: 16\ntransformer-heads: 2\ntransformer-dim-ffn: 24\n";
  const auto arrays = marian_arrays(kGolden / "all/model.npz");
  write("model.npz", marian_archive(arrays, sizes + "enc-depth: 2000000000\ndec-depth: 2\n"));
  EXPECT_THAT(refusal(), HasSubstr("tensors cannot be 2000000000 layers, as many as its configuration says"));
  write("model.npz", marian_archive(arrays, sizes + "enc-depth: 2\ndec-depth: 1000\n"));
  EXPECT_THAT(refusal(), HasSubstr("tensors cannot be 1000 layers"));
}

TEST_F(MarianModelTest, AnotherArchitectureIsRefusedByItsKey) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"type: transformer\n", "type: transformeR\n"},
      {"transformer-ffn-activation: swish", "transformer-ffn-activation: gelus"},
      {"transformer-ffn-depth: 2", "transformer-ffn-depth: 3"},
      {"transformer-no-projection: false", "transformer-no-projection: true "},
      {"self-attention", "average-attent"}};
  const auto weights = read_file(folder_ / "model/model.npz");
  for (const auto& [part, by] : changes) {
    ASSERT_EQ(part.size(), by.size());
    write("model.npz", weights);
    replace("model.npz", part, by);
    EXPECT_THAT(refusal(), HasSubstr("model.npz")) << by;  // its checksum is wrong as well
  }
  write("model.npz", weights.substr(0, weights.size() / 2));
  EXPECT_THAT(refusal(), HasSubstr("model.npz: truncated or damaged zip archive"));
}

/// A copy of the golden model of Firefox.
class FirefoxModel : public TemporaryFolderTest {
 protected:
  void SetUp() override { fs::copy(kGolden / "firefox", folder_ / "model"); }

  [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / "model" / name; }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
  }
  [[nodiscard]] LoadedModel open() const { return open_marian_model(folder_ / "model"); }
  [[nodiscard]] std::string refusal() const {
    return testing::error_of<CheckpointError>([&] { (void)open(); });
  }

  const std::string weights_ = "model.enfr.intgemm.alphas.bin";
};

TEST_F(FirefoxModel, HasFirefoxsSearchAndTheLanguagesOfItsName) {
  EXPECT_TRUE(is_marian_model(folder_ / "model"));
  const auto model = open();
  EXPECT_EQ(model.config.model.decoder, DecoderKind::kSsru);
  EXPECT_EQ(model.config.decoding.beam_size, 1);
  EXPECT_EQ(model.config.decoding.max_length_ratio, 2.0);
  EXPECT_EQ(model.config.data.source_language, "en");
  EXPECT_EQ(model.config.data.target_language, "fr");
}

TEST_F(FirefoxModel, ItsFilesMayBePacked) {
  const auto expected = open().weights;
  for (const auto& name : std::vector<std::string>{weights_, "vocab.enfr.spm", "lex.50.50.enfr.s2t.bin"}) {
    write_gzip(file(name + ".gz"), read_file(file(name)));
    fs::remove(file(name));
  }
  const auto weights = open().weights;
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(bytes_of(weights[i].second), bytes_of(expected[i].second)) << weights[i].first;
  }
  const auto packed = read_file(file(weights_ + ".gz"));
  write(weights_ + ".gz", packed.substr(0, packed.size() - 20));
  EXPECT_THAT(refusal(), HasSubstr(weights_ + ".gz: truncated gzip data"));
  write_gzip(file(weights_ + ".gz"), std::string(1 << 20, '\0'));
  EXPECT_THAT(refusal(), HasSubstr(".gz: it unpacks to more than "));
}

TEST_F(FirefoxModel, DamageIsNamedWithItsFile) {
  const auto weights = read_file(file(weights_));
  write(weights_, weights.substr(0, weights.size() / 2));
  EXPECT_THAT(refusal(), HasSubstr(weights_ + ": truncated or damaged: "));
  write(weights_, weights);
  const auto vocabulary = read_file(file("vocab.enfr.spm"));
  write("vocab.enfr.spm", "no model");
  EXPECT_THAT(refusal(), HasSubstr("vocab.enfr.spm: not a SentencePiece model"));
  write("vocab.enfr.spm", tiny_tokenizer().serialized());  // of fewer subwords
  EXPECT_THAT(refusal(), HasSubstr(" has shape ["));
  write("vocab.enfr.spm", vocabulary);
  write("lex.50.50.enfr.s2t.bin", "no list");
  EXPECT_THAT(refusal(),
              HasSubstr("lex.50.50.enfr.s2t.bin: truncated, or not a shortlist in the format of Bergamot and Firefox"));
}

}  // namespace
}  // namespace translate::tools

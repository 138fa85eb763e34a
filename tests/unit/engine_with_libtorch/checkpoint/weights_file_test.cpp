#include "checkpoint/weights_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "core/file.h"
#include "modules/transformer.h"
#include "support/golden_case.h"
#include "tensors/tensor_file.h"
#include "unit/engine_with_libtorch/checkpoint/pytorch_fixture.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kLimit = 1e-5;  // of a logit tensor, norm of the difference over the norm

class WeightsFileTest : public CheckpointFixture {
 protected:
  [[nodiscard]] std::string refusal_of(const std::string& bytes) const {
    write_quickly(path_, bytes);
    return error_of<CheckpointError>([&] { (void)read_weights_file(path_); });
  }

  std::filesystem::path path_ = folder_ / "x.pt";
};

/// A file of tests/golden/pytorch read into a model, and what PyTorch computes from it.
class Imported {
 public:
  explicit Imported(const std::string& name) : expected_(pytorch_golden(name + ".safetensors")) {
    const auto& metadata = expected_.metadata();
    const auto number = [&](const char* key) { return std::stoll(metadata.at(key)); };
    const VocabularySizes sizes{.source = number("source_vocab_size"),
                                .target = number("target_vocab_size"),
                                .source_pad = number("pad"),
                                .target_pad = number("pad")};
    WeightsFile file = read_weights_file(pytorch_golden(name + ".pt"));
    step = file.step;
    const ModelOptions options =
        fit_options(testing::parse_model_options(metadata.at("model")), file.weights, file.notes);
    model_ = trainer::build_transformer(options, sizes);
    trainer::load_parameters(
        model_, trainer::tensors_of(fit_weights(std::move(file.weights), options, sizes, name, file.notes)), name);
    model_->eval();
    notes = file.notes;
  }

  /// Of the logits; kept in the test program's report.
  [[nodiscard]] double distance_from_pytorch() {
    const at::NoGradGuard no_grad;
    const at::Tensor logits =
        model_->forward(trainer::tensor_of(expected_, "encoder_input"), trainer::tensor_of(expected_, "decoder_input"));
    const double distance = testing::relative_distance(logits, trainer::tensor_of(expected_, "logits"));
    ::testing::Test::RecordProperty("distance", fmt::format("{:.2e}", distance));
    return distance;
  }

  std::vector<std::string> notes;
  std::optional<std::int64_t> step;

 private:
  SafetensorsFile expected_;
  trainer::Transformer model_{nullptr};
};

TEST_F(WeightsFileTest, AStateDictOfTheReferenceGivesPytorchsLogits) {
  Imported imported("state_dict");
  EXPECT_LE(imported.distance_from_pytorch(), kLimit);
  EXPECT_EQ(imported.step, std::nullopt);
  EXPECT_THAT(imported.notes, ElementsAre("src_pos.pe is the sinusoidal table, which is computed here",
                                          "tgt_pos.pe is the sinusoidal table, which is computed here"));
}

TEST_F(WeightsFileTest, ACheckpointOfTheReferenceGivesPytorchsLogits) {
  Imported imported("checkpoint");
  EXPECT_LE(imported.distance_from_pytorch(), kLimit);
  EXPECT_EQ(imported.step, 3);
  EXPECT_THAT(imported.notes,
              ElementsAre("took \"model_state_dict\" of a PyTorch checkpoint and ignored the rest",
                          "projection_layer.proj.weight is tied to tgt_embed.embedding.weight: the same values, kept "
                          "once",
                          HasSubstr("src_pos.pe"), HasSubstr("tgt_pos.pe")));
}

TEST_F(WeightsFileTest, TheOlderLayoutGivesPytorchsLogits) {
  Imported imported("older");
  EXPECT_LE(imported.distance_from_pytorch(), kLimit);
  EXPECT_EQ(imported.step, 40);
  EXPECT_THAT(imported.notes, ElementsAre(HasSubstr("model_state_dict"),
                                          "renamed source_attention_block to cross_attention_block in 16 names",
                                          "model.attention_bias is true, as in the weights", HasSubstr("src_pos.pe"),
                                          HasSubstr("tgt_pos.pe"), "widened 20 one-element alpha and bias to d_model"));
}

TEST_F(WeightsFileTest, AWrappedModelWithLearnedPositionsGivesPytorchsLogits) {
  Imported imported("wrapped");
  EXPECT_LE(imported.distance_from_pytorch(), kLimit);
  EXPECT_THAT(imported.notes, ElementsAre(HasSubstr("\"state_dict\""), "dropped \"module.\" at the start of every name",
                                          HasSubstr("tgt_embed.embedding.weight is tied to src_embed"),
                                          HasSubstr("projection_layer.proj.weight is tied to src_embed")));
}

TEST_F(WeightsFileTest, ShortAndLongFloatsGivePytorchsLogits) {
  Imported imported("short_floats");
  EXPECT_LE(imported.distance_from_pytorch(), kLimit);
  EXPECT_THAT(
      imported.notes,
      ElementsAre(HasSubstr("src_pos.pe"), HasSubstr("tgt_pos.pe"), "converted 20 tensors of bfloat16 to float32",
                  "converted 14 tensors of float16 to float32", "converted 2 tensors of float64 to float32"));
}

TEST_F(WeightsFileTest, TheContentTellsTheKindNotTheName) {
  const trainer::NamedTensors weights = {{"module.a", at::randn({3})},
                                         {"module.b.source_attention_block.w_q.weight", at::randn({2})}};
  trainer::write_safetensors(path_, weights);
  const WeightsFile file = read_weights_file(path_);
  expect_same_tensors(trainer::tensors_of(file.weights),
                      {{"a", weights[0].second}, {"b.cross_attention_block.w_q.weight", weights[1].second}});
  EXPECT_EQ(file.notes.size(), 2U);
  const std::filesystem::path other = folder_ / "x.safetensors";
  std::filesystem::copy_file(pytorch_golden("state_dict.pt"), other);
  EXPECT_FALSE(read_weights_file(other).weights.empty());
}

TEST_F(WeightsFileTest, APrefixThatNotAllNamesHaveStays) {
  trainer::write_safetensors(path_, {{"module.a", at::ones({1})}, {"b", at::ones({1})}});
  const WeightsFile file = read_weights_file(path_);
  EXPECT_EQ(file.weights[0].first, "module.a");
  EXPECT_TRUE(file.notes.empty());
}

TEST_F(WeightsFileTest, WrappersInsideOneAnotherAreDropped) {
  for (const std::string prefix : {"module._orig_mod.", "_orig_mod.module."}) {
    trainer::write_safetensors(path_, {{prefix + "a", at::ones({1})}});
    EXPECT_EQ(read_weights_file(path_).weights[0].first, "a");
  }
}

TEST_F(WeightsFileTest, BothNamesOfOneWeightAreRefused) {
  trainer::write_safetensors(
      path_, {{"x.source_attention_block.w", at::ones({1})}, {"x.cross_attention_block.w", at::ones({1})}});
  EXPECT_EQ(error_of<CheckpointError>([&] { (void)read_weights_file(path_); }),
            path_.string() + ": \"x.cross_attention_block.w\" occurs twice, under its newer and its older name");
}

TEST_F(WeightsFileTest, OtherFilesAreRefusedWithHowTheyBegin) {
  const std::string expected = path_.string() +
                               ": neither a .safetensors file (eight bytes, then \"{\") nor a PyTorch .pt file (begins "
                               "with \"PK\"): ";
  EXPECT_EQ(refusal_of(""), expected + "it is empty");
  EXPECT_EQ(refusal_of("<!DOCTYPE html>\n<html>"), expected + "it begins with \"<!DOCTYPE html>\\x0a\"");
  EXPECT_EQ(refusal_of("\x1F\x8B\x08"), expected + "it begins with \"\\x1f\\x8b\\x08\"");
}

TEST_F(WeightsFileTest, FoldersAndMissingFilesAreTheUsersMistake) {
  EXPECT_EQ(error_of<ConfigError>([&] { (void)read_weights_file(folder_ / "none.pt"); }),
            (folder_ / "none.pt").string() + ": no such file (weights are a .safetensors or a PyTorch .pt file)");
  EXPECT_EQ(error_of<ConfigError>([&] { (void)read_weights_file(folder_); }),
            folder_.string() + ": is a folder; weights are a single .safetensors or PyTorch .pt file");
  error_of<CheckpointError>([] { (void)read_weights_file("/dev/null"); });
}

TEST_F(WeightsFileTest, EveryCutIsRefused) {
  for (const std::string name : {"whole_module.pt", "legacy.pt", "short_floats.safetensors"}) {
    const auto cuts = every_cut(read_file(pytorch_golden(name)), 23);
    const auto read = [&](const std::string& bytes) {
      write_quickly(path_, bytes);
      (void)read_weights_file(path_);
    };
    EXPECT_EQ(count_refusals(cuts, read), cuts.size()) << name;
  }
}

}  // namespace
}  // namespace translate

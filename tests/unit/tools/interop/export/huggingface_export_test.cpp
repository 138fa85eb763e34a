#include "interop/export/huggingface_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ModelToExport marian(EmbeddingTying tying = EmbeddingTying::kNone) {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;
  options.tie_embeddings = tying;
  return tiny_model(options);
}

TEST(HuggingFaceConfig, DescribesMarian) {
  const auto config = huggingface_config(marian());
  EXPECT_EQ(config["model_type"], "marian");
  EXPECT_EQ(config["architectures"][0], "MarianMTModel");
  EXPECT_EQ(config["decoder_ffn_dim"], 6);
  EXPECT_EQ(config["encoder_attention_heads"], 2);
  EXPECT_EQ(config["scale_embedding"], true);
  EXPECT_EQ(config["max_position_embeddings"], 1024);
  EXPECT_EQ(config["decoder_start_token_id"], 1);
  EXPECT_EQ(config["pad_token_id"], 3);
  EXPECT_TRUE(config["forced_eos_token_id"].is_null());
}

TEST(HuggingFaceConfig, SaysWhichTablesAreOne) {
  for (const auto& [tying, one_table, tied] :
       {std::tuple(EmbeddingTying::kNone, false, false), std::tuple(EmbeddingTying::kDecoder, false, true),
        std::tuple(EmbeddingTying::kAll, true, true)}) {
    const auto config = huggingface_config(marian(tying));
    EXPECT_EQ(config["share_encoder_decoder_embeddings"], one_table);
    EXPECT_EQ(config["tie_word_embeddings"], tied);
  }
}

TEST(HuggingFaceConfig, DescribesPegasus) {
  auto options = tiny_options();
  options.tie_embeddings = EmbeddingTying::kAll;
  const auto config = huggingface_config(tiny_model(options));
  EXPECT_EQ(config["model_type"], "pegasus");
  EXPECT_EQ(config["normalize_before"], true);
}

TEST(GenerationConfig, HasTheSearchOfTheModel) {
  auto model = marian();
  model.config.decoding.max_length = 40;
  model.config.decoding.beam_size = 5;
  model.config.decoding.length_penalty = 0.9;
  model.config.decoding.min_length = 2;
  model.config.decoding.no_repeat_ngram = 3;
  const auto config = generation_config(model);
  EXPECT_EQ(config["max_length"], 41);  // the start counts there
  EXPECT_EQ(config["num_beams"], 5);
  EXPECT_EQ(config["length_penalty"], 0.9);
  EXPECT_EQ(config["early_stopping"], "never");
  EXPECT_EQ(config["min_new_tokens"], 2);
  EXPECT_EQ(config["no_repeat_ngram_size"], 3);
  EXPECT_EQ(config["eos_token_id"], 2);
  EXPECT_FALSE(config.contains("repetition_penalty"));
}

using HuggingFaceFolderTest = TemporaryFolderTest;

TEST_F(HuggingFaceFolderTest, HasEverythingAndTellsOfThePenalty) {
  auto model = marian();
  export_huggingface(model, folder_);
  for (const std::string file : {"model.safetensors", "config.json", "generation_config.json", "tokenizer.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / file)) << file;
  }
  EXPECT_THAT(read_file(folder_ / "README.md"), HasSubstr("((5 + length) / 6)^0.6, cannot be expressed"));
  model.config.decoding.length_penalty_kind = LengthPenaltyKind::kAverage;
  export_huggingface(model, folder_);
  EXPECT_THAT(read_file(folder_ / "README.md"), Not(HasSubstr("cannot be expressed")));
}

}  // namespace
}  // namespace translate::tools

#include "interop/import/huggingface_generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "interop/export/huggingface_export.h"
#include "interop/import/huggingface_model.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

class HuggingFaceGenerationTest : public TemporaryFolderTest {
 protected:
  /// The search of a folder with this generation_config.json and config.json.
  [[nodiscard]] DecodingOptions read(const std::string& generation, const std::string& config = "{}") const {
    write_file_synced(folder_ / kGenerationFile, generation);
    write_file_synced(folder_ / "config.json", config);
    return read_huggingface_decoding(read_huggingface_json(folder_ / kGenerationFile),
                                     read_huggingface_json(folder_ / "config.json"));
  }

  [[nodiscard]] std::string refusal(const std::string& generation, const std::string& config = "{}") const {
    return error_of<CheckpointError>([&] { (void)read(generation, config); });
  }

  [[nodiscard]] std::string refused_ids(const std::string& generation) const {
    write_file_synced(folder_ / kGenerationFile, generation);
    return error_of<CheckpointError>([&] { check_huggingface_ids(folder_, {.unk = 1, .sos = 9, .eos = 0, .pad = 9}); });
  }
};

TEST_F(HuggingFaceGenerationTest, TheSearchIsRead) {
  const auto decoding = read(R"({"num_beams": 6, "max_length": 101, "min_length": 5, "length_penalty": 0.5,
      "no_repeat_ngram_size": 3, "repetition_penalty": 1.2, "num_return_sequences": 2, "forced_eos_token_id": 0,
      "renormalize_logits": true, "num_beam_groups": 1, "forced_bos_token_id": null, "typical_p": 1.0})");
  EXPECT_EQ(decoding.beam_size, 6);
  EXPECT_EQ(decoding.max_length, 100);  // the start counts there
  EXPECT_EQ(decoding.min_length, 4);
  EXPECT_EQ(decoding.length_penalty, 0.5);
  EXPECT_EQ(decoding.length_penalty_kind, LengthPenaltyKind::kAverage);
  EXPECT_EQ(decoding.no_repeat_ngram, 3);
  EXPECT_EQ(decoding.repetition_penalty, 1.2);
  EXPECT_EQ(decoding.n_best, 2);
  EXPECT_FALSE(decoding.sampling);
}

TEST_F(HuggingFaceGenerationTest, NewTokensAreCountedWithoutTheStart) {
  const auto decoding = read(R"({"max_new_tokens": 50, "min_new_tokens": 3, "max_length": 20, "min_length": 9})");
  EXPECT_EQ(decoding.max_length, 50);
  EXPECT_EQ(decoding.min_length, 3);
}

TEST_F(HuggingFaceGenerationTest, SamplingIsRead) {
  auto decoding = read(R"({"do_sample": true, "temperature": 0.7, "top_p": 0.9})");
  EXPECT_TRUE(decoding.sampling);
  EXPECT_EQ(decoding.temperature, 0.7);
  EXPECT_EQ(decoding.top_p, 0.9);
  EXPECT_EQ(decoding.top_k, 50);  // as in transformers
  EXPECT_EQ(decoding.epsilon, 0.0);
  decoding = read(R"({"do_sample": true, "top_k": 0, "epsilon_cutoff": 0.02})");
  EXPECT_EQ(decoding.top_k, 0);
  EXPECT_EQ(decoding.epsilon, 0.02);
  EXPECT_THAT(refusal(R"({"do_sample": true, "num_beams": 4})"),
              HasSubstr("generation_config.json: do_sample: true with num_beams 4 is not supported"));
}

TEST_F(HuggingFaceGenerationTest, TheOlderPlaceOfTheKeysIsReadToo) {
  EXPECT_EQ(read("{}", R"({"num_beams": 5, "architectures": ["MarianMTModel"]})").beam_size, 5);
  EXPECT_EQ(read(R"({"num_beams": 2})", R"({"num_beams": 5})").beam_size, 2);
  EXPECT_THAT(refusal("{}", R"({"diversity_penalty": 0.5})"),
              HasSubstr("config.json: diversity_penalty: 0.5 is not supported; expected 0"));
}

TEST_F(HuggingFaceGenerationTest, WhatIsNotComputedIsRefusedByItsKey) {
  for (const std::string setting : {R"("num_beam_groups": 2)",
                                    R"("forced_bos_token_id": 3)",
                                    R"("encoder_no_repeat_ngram_size": 2)",
                                    R"("typical_p": 0.9)",
                                    R"("guidance_scale": 1.5)",
                                    R"("begin_suppress_tokens": [4])",
                                    R"("exponential_decay_length_penalty": [5, 1.1])",
                                    R"("stop_strings": ["."])",
                                    R"("a_new_key": 1)",
                                    R"("repetition_penalty": 0)",
                                    R"("temperature": -1)",
                                    R"("top_k": -1)",
                                    R"("top_p": 1.5)",
                                    R"("epsilon_cutoff": 2)",
                                    R"("num_beams": -3)",
                                    R"("max_length": 1)",
                                    R"("max_new_tokens": 0)",
                                    R"("min_length": 600)",
                                    R"("num_return_sequences": 2)",
                                    R"("do_sample": "yes")"}) {
    const auto key = setting.substr(1, setting.find(':') - 2);
    EXPECT_THAT(refusal("{" + setting + "}"), HasSubstr("generation_config.json: " + key + ": ")) << setting;
  }
}

TEST_F(HuggingFaceGenerationTest, OnlySubwordsThatAreNeverGeneratedCanBeForbidden) {
  write_file_synced(folder_ / kGenerationFile,
                    R"({"bad_words_ids": [[9]], "suppress_tokens": [1, 9], "eos_token_id": [0]})");
  EXPECT_NO_THROW(check_huggingface_ids(folder_, {.unk = 1, .sos = 9, .eos = 0, .pad = 9}));
  EXPECT_THAT(refused_ids(R"({"bad_words_ids": [[9], [4]]})"), HasSubstr("bad_words_ids: only <unk>, <pad> and"));
  EXPECT_THAT(refused_ids(R"({"bad_words_ids": [[9, 1]]})"), HasSubstr("bad_words_ids"));
  EXPECT_THAT(refused_ids(R"({"suppress_tokens": [4]})"), HasSubstr("generation_config.json: suppress_tokens"));
  EXPECT_THAT(refused_ids(R"({"eos_token_id": [0, 4]})"), HasSubstr("eos_token_id: is [0,4], but </s> has the id 0"));
  EXPECT_THAT(refused_ids(R"({"forced_eos_token_id": 4})"), HasSubstr("forced_eos_token_id: is 4"));
}

TEST_F(HuggingFaceGenerationTest, AnExportedSearchIsReadBackUnchanged) {
  auto model = tiny_model();
  const auto round_trip = [&] { return read(generation_config(model).dump()); };
  auto& decoding = model.config.decoding;
  decoding = {.max_length = 77,
              .max_length_ratio = 1.5,
              .beam_size = 7,
              .length_penalty = 0.3,
              .min_length = 4,
              .no_repeat_ngram = 3,
              .repetition_penalty = 1.3,
              .split_sentences = SentenceSplitting::kOff};
  EXPECT_EQ(round_trip(), decoding);
  decoding = {.beam_size = 1,
              .length_penalty = 0.0,
              .length_penalty_kind = LengthPenaltyKind::kAverage,
              .sampling = true,
              .temperature = 0.6,
              .top_k = 0,
              .top_p = 0.8,
              .epsilon = 0.01,
              .seed = 9};
  EXPECT_EQ(round_trip(), decoding);
}

TEST_F(HuggingFaceGenerationTest, APipeInPlaceOfAFileIsNamed) {
  write_file_synced(folder_ / "config.json", R"({"model_type": "marian"})");
  for (const std::string name : {"generation_config.json", "vocab.json", "source.spm"}) {
    ASSERT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    EXPECT_THAT(error_of<RuntimeError>([&] { (void)read_huggingface_config(folder_); }),
                HasSubstr(name + ": cannot be read: it is a pipe or a device, expected a file"));
    std::filesystem::remove(folder_ / name);
  }
}

}  // namespace
}  // namespace translate::tools

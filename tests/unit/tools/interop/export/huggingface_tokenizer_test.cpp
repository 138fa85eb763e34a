#include "interop/export/huggingface_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "text/tokenizer_training.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(TokenizerJson, PutsTheTextBetweenSosAndEos) {
  const auto tokenizer = tiny_tokenizer();
  const auto json = tokenizer_json(tokenizer);
  EXPECT_EQ(json["post_processor"]["single"], Json::parse(R"([
      {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
      {"SpecialToken": {"id": "</s>", "type_id": 0}}])"));
  EXPECT_EQ(json["post_processor"]["special_tokens"]["</s>"],
            Json::parse(R"({"id": "</s>", "ids": [2], "tokens": ["</s>"]})"));
  EXPECT_EQ(std::ssize(json["added_tokens"]), 4);
  const auto without = tokenizer_json(tokenizer.for_sources(/*source_sos=*/false));
  EXPECT_EQ(without["post_processor"]["single"].front(), Json::parse(R"({"Sequence": {"id": "A", "type_id": 0}})"));
}

TEST(TokenizerJson, FindsLanguageTagsInAText) {
  const auto json = tokenizer_json(tiny_tokenizer(TokenizerType::kBpe, "the cat sat", {">>fr<<", ">>de<<"}));
  ASSERT_EQ(std::ssize(json["added_tokens"]), 6);
  EXPECT_EQ(json["added_tokens"][5],
            Json::parse(R"({"id": 5, "content": ">>de<<", "single_word": false, "lstrip": false,
      "rstrip": true, "normalized": false, "special": false})"));
}

TEST(TokenizerJson, HasEveryMergeThatMakesASubword) {
  const auto tokenizer = tiny_tokenizer();
  const auto model = tokenizer_json(tokenizer)["model"];
  EXPECT_EQ(model["type"], "BPE");
  EXPECT_EQ(model["vocab"]["</s>"], 2);
  const auto& vocabulary = model["vocab"];
  std::vector<std::string> made;
  for (const auto& merge : model["merges"]) {
    const auto left = merge[0].get<std::string>();
    const auto right = merge[1].get<std::string>();
    EXPECT_TRUE(vocabulary.contains(left) && vocabulary.contains(right));
    if (made.empty() || made.back() != left + right) {
      made.push_back(left + right);
    }
  }
  // SentencePiece's ids of bpe are in the order of the merges, and characters come last.
  ASSERT_GT(made.size(), 2U);
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i], tokenizer.subword(static_cast<std::int64_t>(4 + i)));
  }
}

TEST(TokenizerJson, KeepsTheScoresOfUnigramModels) {
  const auto tokenizer = tiny_tokenizer(TokenizerType::kUnigram);
  const auto model = tokenizer_json(tokenizer)["model"];
  EXPECT_EQ(model["type"], "Unigram");
  EXPECT_EQ(model["unk_id"], 0);
  ASSERT_EQ(std::ssize(model["vocab"]), tokenizer.vocab_size());
  double least = 0.0;
  for (const auto& entry : model["vocab"]) {
    least = std::min(least, entry[1].get<double>());
  }
  EXPECT_LT(least, -1.0);
  EXPECT_EQ(model["vocab"][1], Json({"<s>", least}));  // never better than a subword of text
}

TEST(TokenizerJson, OfUnigramNeverTakesSpecialSubwordsInATextForThemselves) {
  const auto unknown = tokenizer_json(tiny_tokenizer(TokenizerType::kUnigram));  // no text of it has a "<"
  const auto& steps = unknown["normalizer"]["normalizers"];
  EXPECT_EQ(steps.back()["pattern"]["String"], "<");
  EXPECT_EQ(steps.back()["content"], "\U000F0000");

  TokenizerOptions options;
  options.type = TokenizerType::kUnigram;
  options.vocab_size = 24;
  const std::vector<std::string> marked = {"<s> pad unk </s>", "<pad> <unk>", "s / a p d u n k < >"};
  const auto known = tokenizer_json(train_tokenizer(options, {marked}));
  const auto score = [&](const std::string& subword) {
    for (const auto& entry : known["model"]["vocab"]) {
      if (entry[0] == subword) {
        return entry[1].get<double>();
      }
    }
    throw std::out_of_range(subword);
  };
  EXPECT_LT(score("<s>"), score("<") + score("s") + score(">"));
  EXPECT_EQ(known["normalizer"]["normalizers"].back(), unknown["normalizer"]["normalizers"][4]);

  options.byte_fallback = true;
  options.vocab_size = 280;
  const std::vector<std::string> plain = {"the cat sat", "a cat", "the mat"};
  const auto bytes = tokenizer_json(train_tokenizer(options, {plain}));
  EXPECT_EQ(bytes["pre_tokenizer"]["pretokenizers"][0]["pattern"]["String"], "<");
  EXPECT_EQ(bytes["pre_tokenizer"]["pretokenizers"][0]["behavior"], "Isolated");
}

TEST(TokenizerJson, OfCharactersHasNoMerges) {
  EXPECT_TRUE(tokenizer_json(tiny_tokenizer(TokenizerType::kChar))["model"]["merges"].empty());
}

TEST(TokenizerJson, NormalizesAsSentencePiece) {
  const auto steps = tokenizer_json(tiny_tokenizer())["normalizer"]["normalizers"];
  ASSERT_EQ(std::ssize(steps), 5);
  EXPECT_EQ(steps[0]["type"], "Precompiled");
  EXPECT_EQ(steps[0]["precompiled_charsmap"].get<std::string>().size() % 4, 0U);  // base64
  EXPECT_EQ(steps[3], Json::parse(R"({"type": "Prepend", "prepend": "▁"})"));
  EXPECT_EQ(steps[4], Json::parse(R"({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})"));
}

TEST(TokenizerJson, RefusesWordModels) {
  EXPECT_THAT(error_of<ConfigError>([] { return tokenizer_json(tiny_tokenizer(TokenizerType::kWord)); }),
              HasSubstr("its tokenizer is of type word"));
}

class HuggingFaceTokenizersTest : public TemporaryFolderTest {
 protected:
  void write(const ModelToExport& model) const { write_huggingface_tokenizers(model, 100, folder_); }
  [[nodiscard]] bool has(const char* file) const { return std::filesystem::exists(folder_ / file); }
  [[nodiscard]] Json json(const char* file) const { return Json::parse(read_file(folder_ / file)); }
};

TEST_F(HuggingFaceTokenizersTest, AreOneFileIfBothSidesShareIt) {
  write(tiny_model());
  EXPECT_TRUE(has("tokenizer.json"));
  EXPECT_FALSE(has("target/tokenizer.json"));
  EXPECT_EQ(json("tokenizer_config.json")["bos_token"], "<s>");
  EXPECT_EQ(json("tokenizer_config.json")["model_max_length"], 100);
}

TEST_F(HuggingFaceTokenizersTest, AreTwoIfTheyDiffer) {
  const auto model =
      tiny_model(tiny_options(), {tiny_tokenizer(), tiny_tokenizer(TokenizerType::kBpe, "le chat dort")});
  write(model);
  EXPECT_EQ(json("tokenizer.json"), tokenizer_json(model.tokenizers.source));
  EXPECT_EQ(json("target/tokenizer.json"), tokenizer_json(model.tokenizers.target));
}

TEST_F(HuggingFaceTokenizersTest, AreMariansIfSourcesDoNotBeginWithSos) {
  auto model = tiny_model();
  model.tokenizers.source = model.tokenizers.source.for_sources(/*source_sos=*/false);
  write(model);
  EXPECT_FALSE(has("tokenizer.json"));
  EXPECT_FALSE(has("target_vocab.json"));
  EXPECT_EQ(read_file(folder_ / "source.spm"), model.tokenizers.source.serialized());
  EXPECT_EQ(json("vocab.json")["<pad>"], 3);
  const auto config = json("tokenizer_config.json");
  EXPECT_EQ(config["tokenizer_class"], "MarianTokenizer");
  EXPECT_EQ(config["source_lang"], "en");
  EXPECT_EQ(config["separate_vocabs"], false);
}

}  // namespace
}  // namespace translate::tools

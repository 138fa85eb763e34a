// Word-level tokenizers, the JSON files of PyTorch tutorials: training with them, and translating with what comes out.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "integration/workspace.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// The JSON of a tokenizer that knows all words of some sentences, which are separated by spaces.
Json word_level_json(const std::vector<std::string>& sentences) {
  Json vocab = {{"[UNK]", 0}, {"[PAD]", 1}, {"[SOS]", 2}, {"[EOS]", 3}};
  for (const auto& sentence : sentences) {
    std::istringstream words(sentence);
    for (std::string word; words >> word;) {
      if (!vocab.contains(word)) {
        vocab[word] = vocab.size();
      }
    }
  }
  Json added = Json::array();
  for (const char* token : {"[UNK]", "[PAD]", "[SOS]", "[EOS]"}) {
    added.push_back({{"id", vocab[token]}, {"content", token}, {"special", true}});
  }
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
          {"post_processor", nullptr},
          {"decoder", nullptr},
          {"model", {{"type", "WordLevel"}, {"vocab", vocab}, {"unk_token", "[UNK]"}}}};
}

class WordLevel : public ProgramTest {
 protected:
  WordLevel() {
    const auto pairs = small_corpus();
    workspace_.write("tokenizer_en.json", word_level_json(pairs.source).dump(2));
    workspace_.write("tokenizer_fr.json", word_level_json(pairs.target).dump(2));
  }

  static Json config() {
    auto config = tiny_config();
    config["tokenizer"] = {
        {"source_model", "tokenizer_en.json"}, {"target_model", "tokenizer_fr.json"}, {"shared", false}};
    config["model"]["tie_embeddings"] = "decoder";
    return config;
  }
};

TEST_F(WordLevel, TokenizersTrainAModelWhoseCheckpointTranslatesAlone) {
  auto longer = config();
  longer["model"]["dropout"] = 0.0;
  longer["training"]["max_steps"] = 80;
  longer["training"]["validate_every"] = 80;
  longer["training"]["checkpoint_every"] = 80;
  const auto result = workspace_.train(longer);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string checkpoint = "runs/tiny/checkpoints/step-00000080";
  EXPECT_EQ(workspace_.read(checkpoint + "/source.json"), workspace_.read("tokenizer_en.json"));
  EXPECT_EQ(workspace_.read(checkpoint + "/target.json"), workspace_.read("tokenizer_fr.json"));
  EXPECT_THAT(workspace_.list(checkpoint), Each(Not(HasSubstr(".spm"))));

  std::filesystem::remove(workspace_ / "tokenizer_en.json");
  std::filesystem::remove(workspace_ / "tokenizer_fr.json");
  const auto pairs = small_corpus();
  std::set<std::string> known;
  for (const auto& sentence : pairs.target) {
    std::istringstream words(sentence);
    for (std::string word; words >> word;) {
      known.insert(word);
    }
  }
  const auto translated = workspace_.infer({}, join_lines({pairs.source[0], "[SOS] zebra [EOS]", pairs.source[3]}));
  ASSERT_EQ(translated.exit_code, 0) << translated.err;
  const auto lines = split_lines(translated.out);
  ASSERT_EQ(lines.size(), 3U);
  std::istringstream words(translated.out);
  std::size_t count = 0;
  for (std::string word; words >> word; ++count) {
    EXPECT_TRUE(known.contains(word)) << word;
  }
  EXPECT_GT(count, 0U);
  EXPECT_EQ(workspace_.evaluate({"--metrics", "bleu"}).exit_code, 0);
}

TEST_F(WordLevel, ARunThatStoppedGoesOnWithItsTokenizers) {
  ASSERT_EQ(workspace_.train(config()).exit_code, 0);
  const auto result = workspace_.train(config(), {"--set", "training.max_steps=12"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("resuming from"));
  EXPECT_TRUE(workspace_.holds("runs/tiny/checkpoints/step-00000012/source.json"));
}

TEST_F(WordLevel, AFileOfAnotherKindIsTheUsersMistake) {
  auto json = Json::parse(workspace_.read("tokenizer_fr.json"));
  json["model"]["type"] = "BPE";
  workspace_.write("tokenizer_fr.json", json.dump());
  const auto result = workspace_.train(config());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("tokenizer_fr.json"), HasSubstr("model.type"), HasSubstr("WordLevel")));
}

TEST_F(WordLevel, SegmentationsOfWordsCannotBeDrawn) {
  auto sampling = config();
  sampling["tokenizer"]["sampling"] = {{"source", true}};
  const auto result = workspace_.train(sampling);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("tokenizer.sampling"), HasSubstr("cannot sample")));
}

TEST_F(WordLevel, AnOlderFileOfPytorchIsTrainedOn) {
  workspace_.write("tokenizer_en.json", word_level_json({"a b c d e f"}).dump());
  workspace_.write("tokenizer_fr.json", word_level_json({"a b c d e f g h"}).dump());
  auto older = config();
  older["model"] = {{"d_model", 8}, {"encoder_layers", 1}, {"decoder_layers", 2}, {"num_heads", 2}, {"d_ff", 12}};
  const auto file = project_folder() / "tests/golden/pytorch/older.pt";
  const auto without = workspace_.train(older, {"--init", file.string()});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, AllOf(HasSubstr("older.pt"), HasSubstr("set model.attention_bias to true")));
  EXPECT_FALSE(workspace_.holds("runs/tiny/checkpoints"));

  older["model"]["attention_bias"] = true;
  const auto result = workspace_.train(older, {"--init", file.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("renamed source_attention_block to cross_attention_block"),
                                HasSubstr("starting from the weights of " + file.string())));
  EXPECT_EQ(workspace_.infer({"a b"}).exit_code, 0);
}

}  // namespace
}  // namespace translate

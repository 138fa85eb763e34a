#include "text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A SentencePiece model and vocabularies for it, in files.
class VocabularyTest : public TemporaryFolderTest {
 protected:
  void SetUp() override {
    const auto sentences = sample_sentences(300);
    own_.emplace(train_tokenizer(small_tokenizer(TokenizerType::kUnigram, 200), {sentences}));
    write("model.spm", own_->serialized());
  }

  void write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  /// The model's own subwords in reverse, as Marian's vocabularies have them: "</s>" and "<unk>" first, "<pad>" last.
  [[nodiscard]] std::vector<std::string> marian_subwords() const {
    std::vector<std::string> subwords = {"</s>", "<unk>", ">>fra<<"};
    for (auto id = own_->vocab_size() - 1; id > 3; --id) {
      subwords.push_back(own_->subword(id));
    }
    subwords.emplace_back("<pad>");
    return subwords;
  }

  [[nodiscard]] Tokenizer with(const std::vector<std::string>& subwords) {
    auto json = nlohmann::json::object();
    for (std::size_t id = 0; id < subwords.size(); ++id) {
      json[subwords[id]] = id;
    }
    write("vocab.json", json.dump());
    return Tokenizer::load(folder_ / "model.spm", folder_ / "vocab.json");
  }

  std::optional<Tokenizer> own_;
};

TEST_F(VocabularyTest, GivesTheIdsOfTheFile) {
  const auto subwords = marian_subwords();
  const auto tokenizer = with(subwords);
  EXPECT_EQ(tokenizer.vocab_size(), std::ssize(subwords));
  const auto& special = tokenizer.special_tokens();
  EXPECT_EQ(special.eos, 0);
  EXPECT_EQ(special.unk, 1);
  EXPECT_EQ(special.pad, std::ssize(subwords) - 1);
  EXPECT_EQ(special.sos, special.pad);  // Marian's decoders start with it
  for (const auto& sentence : sample_sentences(20)) {
    EXPECT_EQ(tokenizer.encode_to_subwords(sentence), own_->encode_to_subwords(sentence));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(sentence)), own_->decode(own_->encode(sentence)));
  }
}

TEST_F(VocabularyTest, IsPartOfTheSerializedModel) {
  const auto tokenizer = with(marian_subwords());
  const auto copy = Tokenizer::from_serialized(tokenizer.serialized());
  EXPECT_EQ(copy.encode("le chat dort"), tokenizer.encode("le chat dort"));
  EXPECT_EQ(copy.special_tokens(), tokenizer.special_tokens());
  EXPECT_NE(tokenizer.serialized(), own_->serialized());
}

TEST_F(VocabularyTest, ASubwordOutsideItIsUnknown) {
  auto subwords = marian_subwords();
  const auto ids = with(subwords).encode("le chat dort");
  const auto lost = subwords[static_cast<std::size_t>(ids.front())];
  std::erase(subwords, lost);
  const auto tokenizer = with(subwords);
  EXPECT_EQ(tokenizer.encode("le chat dort").front(), tokenizer.special_tokens().unk);
}

TEST_F(VocabularyTest, HoldsWhatSentencePieceDoesNotKnow) {
  auto subwords = marian_subwords();
  subwords.insert(subwords.begin() + 3, "\u2603");
  const auto tokenizer = with(subwords);
  const auto ids = tokenizer.encode("\u2603");
  EXPECT_THAT(tokenizer.encode_to_subwords("\u2603"), ::testing::Contains("\u2603"));
  EXPECT_EQ(tokenizer.decode(ids), "\u2603");
}

TEST_F(VocabularyTest, TextCannotSpellASpecialSubword) {
  const auto tokenizer = with({"</s>", "<unk>", "<pad>", "<s>"});  // all text is unknown
  for (const char* text : {"<pad>", "</s>", "<s>"}) {
    EXPECT_THAT(tokenizer.encode(text), ::testing::Each(tokenizer.special_tokens().unk)) << text;
  }
  EXPECT_EQ(tokenizer.special_tokens().sos, 3);
}

TEST_F(VocabularyTest, ALanguageTagAtTheHeadIsOneSubword) {
  const auto tokenizer = with(marian_subwords());
  const auto plain = tokenizer.encode("le chat dort");
  for (const char* text : {">>fra<< le chat dort", ">>fra<<le chat dort"}) {
    auto ids = tokenizer.encode(text);
    ASSERT_FALSE(ids.empty());
    EXPECT_EQ(ids.front(), 2) << text;
    ids.erase(ids.begin());
    EXPECT_EQ(ids, plain) << text;
  }
  EXPECT_EQ(tokenizer.language_tag(">>fra<< le chat"), ">>fra<<");
  EXPECT_EQ(tokenizer.language_tag(">>deu<< le chat"), "");  // not a subword
  EXPECT_EQ(tokenizer.language_tag("le >>fra<< chat"), "");
  EXPECT_EQ(own_->language_tag(">>fra<< le chat"), "");
}

TEST_F(VocabularyTest, SourcesMayLackTheStart) {
  const auto tokenizer = with(marian_subwords()).for_sources(/*source_sos=*/false);
  const auto ids = tokenizer.encode("le chat");
  const auto input = encoder_input_ids(tokenizer, "le chat");
  EXPECT_THAT(input, SizeIs(ids.size() + 1));
  EXPECT_EQ(input.back(), tokenizer.special_tokens().eos);
  EXPECT_EQ(input.front(), ids.front());
  EXPECT_THAT(encoder_input_ids(tokenizer.for_sources(true), "le chat"), SizeIs(ids.size() + 2));
}

TEST(VocabularyFile, TellsWhatIsWrong) {
  const auto error = [](const std::string& json) {
    return testing::error_of<DataError>([&] { (void)Vocabulary(parse_vocabulary_file(json, "v.json"), "v.json"); });
  };
  EXPECT_THAT(error("[1]"), HasSubstr("v.json: expected an object {\"subword\": id, ...}, got a list"));
  EXPECT_THAT(error(R"({"a": 0, "b": 2})"),
              HasSubstr("v.json: b: expected an id from 0 to 1, a number for each subword, got 2"));
  EXPECT_THAT(error(R"({"a": 0, "b": 0})"), HasSubstr("v.json: b: has the id 0 of \"a\""));
  EXPECT_THAT(error(R"({"a": -1})"), HasSubstr("a number for each subword, got -1"));
  EXPECT_THAT(error(R"({"a": "0"})"), HasSubstr("a number for each subword, got \"0\""));
  EXPECT_THAT(error(R"({"a": 0)"), HasSubstr("v.json: line 1"));
  EXPECT_THAT(error(R"({"</s>": 0, "<unk>": 1})"), HasSubstr("there is no \"<pad>\" in the vocabulary of 2 subwords"));
}

TEST(VocabularyFile, ReadsSubwordsById) {
  EXPECT_THAT(parse_vocabulary_file(R"({"b": 1, "a": 0})", "v.json"), ElementsAre("a", "b"));
}

TEST_F(VocabularyTest, IsTakenOffAModel) {
  const auto& model = own_->serialized();
  EXPECT_EQ(without_vocabulary(attach_vocabulary(model, marian_subwords())), model);
  EXPECT_EQ(without_vocabulary(model), model);
}

}  // namespace
}  // namespace translate

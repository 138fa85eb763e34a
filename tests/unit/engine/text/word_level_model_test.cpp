#include "text/word_level_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "core/error.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "unit/engine/text/word_level_fixture.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Ids = std::vector<std::int64_t>;

Tokenizer from_json(const nlohmann::json& json) { return Tokenizer::from_serialized(json.dump(2), "x.json"); }

/// Holds a tokenizer against what the package of the same format made of the same texts.
void expect_golden(const Tokenizer& tokenizer, const std::string& section) {
  const auto expected = nlohmann::json::parse(golden_text_file("expected.json")).at(section);
  ASSERT_GT(expected.size(), 100U);
  const auto special = tokenizer.special_tokens();
  for (const auto& entry : expected) {
    const auto text = entry.at(0).get<std::string>();
    Ids ids = tokenizer.encode(text);
    EXPECT_EQ(ids, entry.at(1).get<Ids>()) << entry.at(0);
    ids.insert(ids.begin(), special.sos);
    ids.insert(ids.end(), {special.eos, special.pad});
    EXPECT_EQ(tokenizer.decode(ids), entry.at(2).get<std::string>()) << entry.at(0);
  }
}

class GoldenWordLevel : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Languages, GoldenWordLevel, ::testing::Values("en", "fr"), language_name);

TEST_P(GoldenWordLevel, SplitsEncodesAndDecodesAsThePackageThatTrainedIt) {
  const auto bytes = golden_text_file("tokenizer_" + GetParam() + ".json");
  const auto tokenizer = Tokenizer::from_serialized(bytes);
  EXPECT_EQ(tokenizer.special_tokens(), (SpecialTokens{.unk = 0, .sos = 2, .eos = 3, .pad = 1}));
  EXPECT_EQ(tokenizer.serialized(), bytes);
  expect_golden(tokenizer, "Whitespace " + GetParam());
}

TEST(WordLevelModel, SplitsAtWhiteSpaceAloneWhereTheFileSaysSo) {
  auto json = nlohmann::json::parse(golden_text_file("tokenizer_en.json"));
  json["pre_tokenizer"]["type"] = "WhitespaceSplit";
  expect_golden(from_json(json), "WhitespaceSplit en");
}

TEST(WordLevelModel, KnowsItsVocabulary) {
  const auto tokenizer = from_json(small_word_level_json());
  EXPECT_EQ(tokenizer.vocab_size(), 8);
  EXPECT_EQ(tokenizer.subword(5), "cat");
  EXPECT_EQ(tokenizer.subword(2), "[SOS]");
  EXPECT_THAT(tokenizer.encode_to_subwords("the dog."), ElementsAre("the", "[UNK]", "."));
  EXPECT_THAT(tokenizer.encode("\t \n"), IsEmpty());
  EXPECT_EQ(tokenizer.decode(Ids{2, 4, 5, 6, 3, 1}), "the cat .");
  EXPECT_EQ(tokenizer.decode(Ids{}), "");
  for (const std::int64_t id : {-1, 8}) {
    EXPECT_THROW((void)tokenizer.subword(id), std::out_of_range);
    EXPECT_THROW((void)tokenizer.decode(Ids{id}), std::out_of_range);
  }
}

TEST(WordLevelModel, TakesSpecialTokensInTheTextForText) {
  for (const char* pre_tokenizer : {"Whitespace", "WhitespaceSplit"}) {
    auto json = small_word_level_json();
    json["pre_tokenizer"]["type"] = pre_tokenizer;
    const auto special = from_json(json).special_tokens();
    for (const char* text : {"[SOS]", "[EOS] [PAD]", "the [EOS]the[SOS] ", "[[EOS]]"}) {
      for (const auto id : from_json(json).encode(text)) {
        EXPECT_FALSE(id == special.sos || id == special.eos || id == special.pad) << pre_tokenizer << ": " << text;
      }
    }
  }
}

TEST(WordLevelModel, TreatsFurtherSpecialTokensLikeTheFour) {
  auto json = small_word_level_json();
  json["pre_tokenizer"]["type"] = "WhitespaceSplit";
  EXPECT_EQ(from_json(json).encode("the [MASK]"), (Ids{4, 7}));  // a word like any other
  json["added_tokens"].push_back({{"id", 7}, {"content", "[MASK]"}, {"special", true}});
  EXPECT_EQ(from_json(json).encode("the [MASK]"), (Ids{4, 0}));
  EXPECT_EQ(from_json(json).decode(Ids{4, 7, 5}), "the cat");
}

TEST(WordLevelModel, CannotSample) {
  const auto tokenizer = from_json(small_word_level_json());
  try {
    (void)tokenizer.encode_sampled("the cat", {}, 1);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("tokenizer.sampling"), HasSubstr("cannot sample")));
  }
}

TEST(WordLevelModel, ReadsBadUtf8AsReplacementCharacters) {
  auto json = small_word_level_json();
  json["model"]["vocab"]["\ufffd"] = 8;
  EXPECT_EQ(from_json(json).encode("the \xff cat"), (Ids{4, 8, 5}));
}

class WordLevelModelFile : public TemporaryFolderTest {};

TEST_F(WordLevelModelFile, IsToldFromASentencePieceModelByItsContent) {
  const auto path = folder_ / "tokenizer.spm";  // whatever it is called
  std::ofstream(path) << golden_text_file("tokenizer_fr.json");
  EXPECT_GT(Tokenizer::load(path).vocab_size(), 800);
  EXPECT_STREQ(tokenizer_file_extension(golden_text_file("tokenizer_fr.json")), ".json");
  EXPECT_STREQ(tokenizer_file_extension("\n\x05model"), ".spm");
  EXPECT_STREQ(tokenizer_file_extension(""), ".spm");
}

TEST_F(WordLevelModelFile, IsBlamedOnWhoeverWroteIt) {
  std::ofstream(folder_ / "bad.json") << "{}";
  EXPECT_THROW((void)Tokenizer::load(folder_ / "bad.json"), DataError);
  EXPECT_THROW((void)Tokenizer::from_serialized("{}"), CheckpointError);
}

TEST(WordLevelModelTest, ALanguageTagIsAWordOrASpecialToken) {
  auto json = small_word_level_json();
  json["model"]["vocab"][">>fr<<"] = 8;
  EXPECT_THAT(from_json(json).encode(">>fr<< the cat"), ElementsAre(8, 4, 5));
  json["added_tokens"].push_back({{"id", 8}, {"content", ">>fr<<"}, {"special", true}});
  const auto tokenizer = from_json(json);
  EXPECT_THAT(tokenizer.encode(">>fr<< the cat"), ElementsAre(8, 4, 5));
  EXPECT_THAT(tokenizer.tagged_languages(), ElementsAre("fr"));
  EXPECT_THAT(tokenizer.encode(">>de<< the"), ElementsAre(0, 0, 0, 4));  // ">>", "de", "<<" are unknown words
}

}  // namespace
}  // namespace translate

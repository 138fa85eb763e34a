#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"
#include "support/error_of.h"
#include "text/word_level_model.h"
#include "unit/engine/text/word_level_fixture.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string error_of(const std::string& text) {
  return testing::error_of<DataError>([&] { return parse_word_level_file(text, "tokenizer_en.json"); });
}

std::string error_after(const std::function<void(nlohmann::json&)>& change) {
  auto json = small_word_level_json();
  change(json);
  return error_of(json.dump());
}

TEST(WordLevelFile, TellsWordsAndSpecialTokens) {
  const auto file = parse_word_level_file(small_word_level_json().dump(), "x.json");
  EXPECT_THAT(file.words, ElementsAre("[UNK]", "[PAD]", "[SOS]", "[EOS]", "the", "cat", ".", "[MASK]"));
  EXPECT_EQ(file.special, (SpecialTokens{.unk = 0, .sos = 2, .eos = 3, .pad = 1}));
  EXPECT_THAT(file.special_ids, UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(file.splits_punctuation);
}

TEST(WordLevelFile, MayLeaveOutWhatIsNull) {
  auto json = small_word_level_json();
  for (const char* key : {"truncation", "padding", "normalizer", "post_processor", "decoder", "added_tokens"}) {
    json.erase(key);
  }
  EXPECT_EQ(parse_word_level_file(json.dump(), "x.json").words.size(), 8U);
}

TEST(WordLevelFile, TakesAnyNameForTheUnknownToken) {
  auto json = small_word_level_json();
  json["model"]["unk_token"] = "cat";
  EXPECT_EQ(parse_word_level_file(json.dump(), "x.json").special.unk, 5);
}

TEST(WordLevelFile, OtherModelsAreRefused) {
  for (const char* type : {"BPE", "Unigram", "WordPiece"}) {
    EXPECT_EQ(error_after([&](auto& json) { json["model"]["type"] = type; }),
              std::string("tokenizer_en.json: model.type: expected \"WordLevel\", got \"") + type +
                  "\": of tokenizers in JSON, word-level ones are understood; any other kind must be a SentencePiece "
                  "model");
  }
}

TEST(WordLevelFile, PartsThatAreNotUnderstoodAreRefused) {
  for (const char* key : {"normalizer", "post_processor", "decoder"}) {
    EXPECT_EQ(
        error_after([&](auto& json) {
          json[key] = {{"type", "Lowercase"}};
        }),
        std::string("tokenizer_en.json: ") + key + ": expected null (no such part is understood), got \"Lowercase\"");
  }
  for (const char* key : {"truncation", "padding"}) {
    EXPECT_EQ(error_after([&](auto& json) {
                json[key] = {{"max_length", 3}};
              }),
              std::string("tokenizer_en.json: ") + key + ": expected null (no such part is understood), got an object");
  }
  EXPECT_EQ(error_after([](auto& json) { json["pre_tokenizer"]["type"] = "ByteLevel"; }),
            "tokenizer_en.json: pre_tokenizer.type: expected \"Whitespace\" or \"WhitespaceSplit\", got \"ByteLevel\"");
  EXPECT_THAT(error_after([](auto& json) { json["pre_tokenizer"] = nullptr; }),
              HasSubstr("pre_tokenizer: expected an object, got null"));
  EXPECT_THAT(error_after([](auto& json) { json["version"] = "2.0"; }),
              HasSubstr("version: \"2.0\" is not supported; expected \"1.0\""));
  EXPECT_THAT(error_after([](auto& json) { json["speed"] = 1; }), HasSubstr("speed: unknown key"));
  EXPECT_THAT(error_after([](auto& json) { json["model"]["dropout"] = 1; }), HasSubstr("model.dropout: unknown key"));
}

TEST(WordLevelFile, MissingTokensAreNamed) {
  for (const char* token : {"[PAD]", "[SOS]", "[EOS]"}) {
    EXPECT_THAT(error_after([&](auto& json) {
                  json["model"]["vocab"]["x"] = json["model"]["vocab"][token];
                  json["model"]["vocab"].erase(token);
                }),
                StartsWith(std::string("tokenizer_en.json: model.vocab: has no \"") + token + "\", which "));
  }
  EXPECT_EQ(error_after([](auto& json) { json["model"]["unk_token"] = "<unk>"; }),
            "tokenizer_en.json: model.vocab: has no \"<unk>\", which model.unk_token names");
  EXPECT_THAT(error_after([](auto& json) { json["model"]["unk_token"] = "[PAD]"; }),
              HasSubstr("model.unk_token: \"[PAD]\" has another meaning"));
  EXPECT_THAT(error_after([](auto& json) { json["model"]["vocab"] = nlohmann::json::object(); }),
              HasSubstr("model.vocab: has no \"[UNK]\""));
}

TEST(WordLevelFile, IdsAreOneForEachWordWithoutHoles) {
  const auto with_id = [](const nlohmann::json& id) {
    return error_after([&](auto& json) { json["model"]["vocab"]["the"] = id; });
  };
  const std::string range =
      "tokenizer_en.json: model.vocab.the: expected an id from 0 to 7, a number for each subword, ";
  EXPECT_EQ(with_id(8), range + "got 8");
  EXPECT_EQ(with_id(-1), range + "got -1");
  EXPECT_EQ(with_id(4.0), range + "got 4.0");
  EXPECT_EQ(with_id("4"), range + "got \"4\"");
  EXPECT_EQ(with_id(nlohmann::json::array({4})), range + "got a list");
  EXPECT_EQ(with_id(18446744073709551615U), range + "got 18446744073709551615");
  EXPECT_EQ(with_id(5), "tokenizer_en.json: model.vocab.the: has the id 5 of \"cat\"");
}

TEST(WordLevelFile, AddedTokensMustBeSpecialAndInTheVocabulary) {
  const auto with_token = [](const nlohmann::json& token) {
    return error_after([&](auto& json) { json["added_tokens"].push_back(token); });
  };
  EXPECT_THAT(with_token({{"id", 5}, {"content", "cat"}, {"special", false}}),
              HasSubstr("added_tokens[2].special: expected true, got false: of added tokens, special ones are "
                        "understood (\"cat\" is none)"));
  EXPECT_THAT(with_token({{"id", 8}, {"content", "<x>"}, {"special", true}}),
              HasSubstr("model.vocab: has no \"<x>\", which added_tokens[2] names"));
  EXPECT_THAT(with_token({{"id", 4}, {"content", "cat"}, {"special", true}}),
              HasSubstr("added_tokens[2].id: expected 5, as model.vocab has \"cat\", got 4"));
  EXPECT_THAT(with_token(7), HasSubstr("added_tokens[2]: expected an object, got 7"));
  EXPECT_THAT(error_after([](auto& json) { json["added_tokens"] = "none"; }),
              HasSubstr("added_tokens: expected a list, got \"none\""));
}

TEST(WordLevelFile, WrongTypesAreNamed) {
  EXPECT_THAT(error_after([](auto& json) { json["model"] = 1; }), HasSubstr("model: expected an object, got 1"));
  EXPECT_THAT(error_after([](auto& json) { json["model"]["vocab"] = nlohmann::json::array(); }),
              HasSubstr("model.vocab: expected an object {\"subword\": id, ...}, got a list"));
  EXPECT_THAT(error_after([](auto& json) { json["model"]["unk_token"] = 0; }),
              HasSubstr("model.unk_token: expected a string, got 0"));
  EXPECT_THAT(error_after([](auto& json) { json["pre_tokenizer"] = nlohmann::json::object(); }),
              HasSubstr("pre_tokenizer.type: missing"));
  EXPECT_EQ(error_of("{}"), "tokenizer_en.json: model.type: missing");
}

TEST(WordLevelFile, DamagedJsonIsAnErrorWithItsPlace) {
  const auto text = small_word_level_json().dump(2);
  for (std::size_t length = 1; length < text.size(); length += 7) {
    EXPECT_THAT(error_of(text.substr(0, length)),
                AllOf(StartsWith("tokenizer_en.json: not JSON: "), HasSubstr("line")));
  }
  EXPECT_THAT(error_of(text + "}"), HasSubstr("not JSON"));
  EXPECT_EQ(error_of("{\"version\": \"1.0\",\n \"model\": 1e999}"),
            "tokenizer_en.json: not JSON: line 2, column 11: the number 1e999 is too large");
  EXPECT_THAT(error_of("{\"version\": \"\xff\"}"), HasSubstr("not JSON"));
  EXPECT_EQ(error_of(R"({"model": {"vocab": {"a": 0, "b": {"a": 1}, "a": 1}}})"),
            "tokenizer_en.json: not JSON: line 1, column 45: the key \"a\" is given twice");
}

}  // namespace
}  // namespace translate

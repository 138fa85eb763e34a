#include "infer/translation_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& line, LineUse use = LineUse::kTranslate) {
  const auto read = read_json_input(line, use, "in.jsonl: line 7");
  EXPECT_TRUE(read.error.empty() || (read.source.empty() && read.target.empty())) << line;
  return read.error.empty() ? "no error" : read.error;
}

TEST(JsonInput, ReadsSourceOrTextAndKeepsTheRest) {
  for (const std::string key : {"source", "text"}) {
    const auto line = read_json_input(R"({"id": 7, ")" + key + R"(": "caf\u00e9\t", "target": null, "score": 0.5})",
                                      LineUse::kTranslate, "x");
    EXPECT_EQ(line.source, "café\t");
    EXPECT_EQ(line.target, "");
    EXPECT_EQ(line.fields.dump(), R"({"id":7,"target":null,"score":0.5})");
  }
}

TEST(JsonInput, APrefixIsForTranslatingAndATargetForScoring) {
  const std::string line = R"({"target": "le chat", "source": "the cat", "prefix": "le"})";
  const auto translated = read_json_input(line, LineUse::kTranslate, "x");
  EXPECT_EQ(translated.target, "le");
  EXPECT_EQ(translated.fields.dump(), R"({"target":"le chat"})");
  const auto scored = read_json_input(line, LineUse::kScore, "x");
  EXPECT_EQ(scored.target, "le chat");
  EXPECT_EQ(scored.fields.dump(), R"({"prefix":"le"})");
}

TEST(JsonInput, ValuesOfAllKindsAreCarriedAsTheyAre) {
  const std::string rest = R"({"a":[1,-2.5,{"b":"\u0000é\"\\"}],"large":18446744073709551615,"t":true,"n":null})";
  auto with_source = rest;
  with_source.insert(1, R"("source":"x",)");
  EXPECT_EQ(read_json_input(with_source, LineUse::kTranslate, "x").fields, Json::parse(rest));
}

TEST(JsonInput, ABadLineIsAnErrorThatTellsWhereAndWhatWasExpected) {
  const auto begins = StartsWith("in.jsonl: line 7: ");
  const auto expects = HasSubstr(R"(expected an object such as {"source": "The cat sat"})");
  for (const std::string line :
       {"", " ", "The cat sat", R"({"source": "x", "n": 1e999})", R"({"n": 1, "n": 2})", R"({"source": "x"} {})",
        R"({"source": "x)", "{\"source\": \"\xE9\"}", R"({"source": "\ud800"})"}) {
    EXPECT_THAT(error_of(line), AllOf(begins, expects, HasSubstr("line 7: column "))) << line;
  }
  EXPECT_THAT(error_of("[1]"), AllOf(begins, expects, HasSubstr("not ")));
  EXPECT_THAT(error_of("\"x\""), AllOf(begins, expects));
  EXPECT_THAT(error_of("{}"), AllOf(begins, expects, HasSubstr("no \"source\"")));
  EXPECT_THAT(error_of(R"({"Source": "x"})"), AllOf(begins, HasSubstr("no \"source\"")));
  EXPECT_THAT(error_of(R"({"source": 5})"), AllOf(begins, HasSubstr("\"source\" should be a text, not 5")));
  EXPECT_THAT(error_of(R"({"source": "x", "prefix": []})"), HasSubstr("\"prefix\" should be a text"));
  EXPECT_THAT(error_of(R"({"source": "web", "text": "x"})"), HasSubstr("both \"source\" and \"text\""));
  EXPECT_THAT(error_of(R"({"source": "x"})", LineUse::kScore),
              AllOf(begins, HasSubstr("no \"target\""), HasSubstr(R"("target": "Le chat"})")));
  EXPECT_THAT(error_of(R"({"target": "x"})", LineUse::kScore), HasSubstr("no \"source\""));
}

TEST(JsonInput, WhatIsNestedTooDeepIsAnErrorRatherThanACrash) {
  const auto nested = [](std::size_t depth) {
    return R"({"source": "x", "a": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(error_of(nested(900)), "no error");
  EXPECT_EQ(error_of(nested(2'000'000)),
            "in.jsonl: line 7: column 1021: nested more than 1000 deep; expected an object such as {\"source\": \"The "
            "cat sat\"}");
}

TEST(JsonInput, OnlyMissingFieldsAreAdded) {
  auto object = Json::parse(R"({"source": "a", "score": -1})");
  add_missing_fields(Json::parse(R"({"id": 3, "score": 9, "source": 4, "last": []})"), object);
  EXPECT_EQ(object.dump(), R"({"source":"a","score":-1,"id":3,"last":[]})");
  add_missing_fields(Json(), object);  // of a line that was text
  EXPECT_EQ(object.size(), 4U);
}

class TranslationInputTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  /// The sources that each call of read(count) gives, until the end.
  [[nodiscard]] static std::vector<std::vector<std::string>> sources(const InputOptions& options, std::size_t count) {
    TranslationInput input(options);
    std::vector<std::vector<std::string>> all;
    for (auto lines = input.read(count); !lines.empty(); lines = input.read(count)) {
      all.emplace_back();
      for (const auto& line : lines) {
        all.back().push_back(line.source);
      }
    }
    return all;
  }
};

TEST_F(TranslationInputTest, LinesComeAsManyAtATimeAsAreAskedFor) {
  const InputOptions options{.path = file("in", "a\nb\n\nc\nd")};
  EXPECT_THAT(sources(options, 2), ElementsAre(ElementsAre("a", "b"), ElementsAre("", "c"), ElementsAre("d")));
  const InputOptions texts{.texts = {"a", "b", "c"}};
  EXPECT_THAT(sources(texts, 2), ElementsAre(ElementsAre("a", "b", "c")));
}

TEST_F(TranslationInputTest, ParagraphsAreJoinedAcrossReads) {
  const InputOptions options{.path = file("in", "a\nb\nc\n\n\nd\ne\n"), .paragraphs = true};
  EXPECT_THAT(sources(options, 2), ElementsAre(ElementsAre("a b c"), ElementsAre("d e")));
  const InputOptions texts{.texts = {"a\nb", "c"}, .paragraphs = true};
  EXPECT_THAT(sources(texts, 2), ElementsAre(ElementsAre("a b", "c")));
}

TEST_F(TranslationInputTest, LinesOfAParagraphAreJoinedAsTheirWritingAsksFor) {
  const InputOptions options{.path = file("in", "他在花园里\n看书。\n\n고양이가\n앉았다.\n\n"), .paragraphs = true};
  EXPECT_THAT(sources(options, 10), ElementsAre(ElementsAre("他在花园里看书。", "고양이가 앉았다.")));
}

TEST_F(TranslationInputTest, ALineThatCannotBeReadHasAnErrorWithItsNumber) {
  const auto path = file("in", "a\tA\n\nb\nc\tC\n");
  const InputOptions options{.path = path, .prefixes = true};
  TranslationInput input(options);
  std::vector<InputLine> lines = input.read(2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].source, "a");
  EXPECT_EQ(lines[0].target, "A");
  EXPECT_EQ(lines[1].error, "");
  lines = input.read(2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].error, path + ": line 3: no tab; --prefixes expects source<TAB>beginning of the translation");
  EXPECT_EQ(lines[1].source, "c");

  const InputOptions strict{.path = path, .prefixes = true, .strict = true};
  TranslationInput strictly(strict);
  EXPECT_THROW((void)strictly.read(4), DataError);
}

TEST_F(TranslationInputTest, PairsToScoreMayStandInTwoFilesOfEqualLength) {
  const InputOptions options{.path = file("in", "a\nb\n"), .score = true, .target = file("out", "A\nB\n")};
  TranslationInput input(options);
  const auto lines = input.read(5);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].source, "b");
  EXPECT_EQ(lines[1].target, "B");
  EXPECT_TRUE(input.read(5).empty());

  const InputOptions longer{.path = options.path, .score = true, .target = file("longer", "A\nB\nC\n")};
  TranslationInput unequal(longer);
  EXPECT_THROW(while (!unequal.read(1).empty()){}, DataError);
}

}  // namespace
}  // namespace translate

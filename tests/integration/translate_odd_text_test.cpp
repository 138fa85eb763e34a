// Odd text to translate: lines out = lines in, in order, with a warning where something was not as it should be.
#include <gmock/gmock.h>

#include "integration/workspace.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> translate_lines(const std::string& input) {
  const auto result = trained().infer({}, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return split_lines(result.out);
}

TEST(TranslateOddText, InvalidUtf8IsReadAsReplacementCharactersWithOneWarning) {
  const auto result = trained().infer({"--json"}, "the cat sees a fish .\nthe d\xFFog \xC3( eats .\na bird\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(Json::parse(lines[1])["source"], "the d\uFFFDog \uFFFD( eats .");
  EXPECT_EQ(count_of(result.err, "warning"), 1U) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("line 2:"), HasSubstr("UTF-8"), HasSubstr("U+FFFD")));
}

TEST(TranslateOddText, BlankLinesStayBlankInTheirPlaces) {
  const auto lines = translate_lines("\nthe cat sees a fish .\n \t \n\na bird likes the bread .\n\n");
  ASSERT_EQ(lines.size(), 6U);
  for (const auto empty : {0, 3, 5}) {
    EXPECT_EQ(lines[static_cast<std::size_t>(empty)], "") << empty;
  }
  EXPECT_EQ(lines[2], " \t ");
  EXPECT_NE(lines[1], "");
  EXPECT_NE(lines[4], "");
  EXPECT_NE(lines[1], lines[4]);
}

TEST(TranslateOddText, BlankTextIsABlankObjectToo) {
  const auto result = trained().infer({"--json", ""});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto object = Json::parse(result.out);
  EXPECT_EQ(object["translation"], "");
  EXPECT_THAT(object["tokens"], IsEmpty());
  EXPECT_EQ(object["truncated"], false);
}

TEST(TranslateOddText, BlankLinesStayBlankInEveryFormat) {
  const auto json = trained().infer({"--json-input"}, "{\"source\": \"a bird\"}\n\n  \t\n{\"source\": \"a fish\"}\n");
  EXPECT_EQ(json.exit_code, 0) << json.err;
  const auto lines = split_lines(json.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1] + lines[2], "");
  EXPECT_NE(lines[3], "");
  const auto objects = trained().infer({"--json-input", "--json"}, "\n{\"id\": 7, \"source\": \"a fish\"}\n");
  EXPECT_EQ(objects.exit_code, 0) << objects.err;
  EXPECT_EQ(Json::parse(split_lines(objects.out)[0])["translation"], "");
  EXPECT_EQ(Json::parse(split_lines(objects.out)[1])["id"], 7);
  for (const std::string format : {"--score", "--prefixes"}) {
    const auto tabs = trained().infer({format}, "a bird\tun\n\n   \na fish\tun\n");
    EXPECT_EQ(tabs.exit_code, 0) << tabs.err;
    ASSERT_EQ(split_lines(tabs.out).size(), 4U) << format;
    EXPECT_EQ(split_lines(tabs.out)[1] + split_lines(tabs.out)[2], "") << format;
    EXPECT_NE(split_lines(tabs.out)[3], "") << format;
  }
}

TEST(TranslateOddText, BadJsonLosesNoOtherLine) {
  const std::string good = R"({"source": "a bird"})";
  for (const std::string& bad :
       {std::string(R"({"source": "x", "n": 1e999})"), R"({"source": "x", "n": )" + std::string(10'000, '9') + "}",
        std::string(1'000'000, '['), std::string(R"({"source": "x", "source": "y"})"),
        std::string("{\"source\": \"\xE9\"}"), std::string(R"({"source": "\ud800"})"),
        std::string("{\"source\": \"x\"}\0{}", 18)}) {
    const auto result = trained().infer({"--json-input", "--json"}, good + "\n" + bad + "\n" + good + "\n");
    EXPECT_EQ(result.exit_code, 2) << result.err;
    const auto lines = split_lines(result.out);
    ASSERT_EQ(lines.size(), 3U) << result.err;
    EXPECT_THAT(Json::parse(lines[1])["error"].get<std::string>(), HasSubstr("stdin: line 2: column "));
    EXPECT_EQ(lines[0], lines[2]);
    EXPECT_TRUE(Json::parse(lines[0]).contains("translation"));
    EXPECT_THAT(result.err, Not(HasSubstr("json.exception")));
  }
}

TEST(TranslateOddText, NoInputGivesNoOutput) {
  const auto result = trained().infer({}, "");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(TranslateOddText, CrLfByteOrderMarkAndNoLastNewlineMakeNoDifference) {
  const auto clean = translate_lines("the cat sees a fish .\na bird likes the bread .\n");
  EXPECT_EQ(translate_lines("\xEF\xBB\xBFthe cat sees a fish .\r\na bird likes the bread ."), clean);
}

TEST(TranslateOddText, ALineTooLongIsSplitAndNothingIsCut) {
  // 40 sentences of about 10 subwords: more than the 256 the model was trained on.
  const auto corpus = small_corpus();
  std::string line;
  for (std::size_t i = 0; i < 40; ++i) {
    line += (i == 0 ? "" : " ") + corpus.source[i];
  }
  const auto result = trained().infer({"--json", "--no-split"}, "a bird\n" + line + "\nthe cat sees a fish .\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(Json::parse(lines[1])["source"], line);
  EXPECT_EQ(Json::parse(lines[2])["translation"], translate_lines("the cat sees a fish .\n")[0]);
  EXPECT_THAT(result.err,
              ContainsRegex("warning: line 2: [0-9]+ subwords, but the model allows 256; translated in [2-9] parts"));
}

TEST(TranslateOddText, ALongLinesPartsAreThoseTranslatedAlone) {
  Workspace workspace;
  workspace.write_corpus();
  auto config = tiny_config();
  config["data"]["max_length"] = 11;  // as long as the longest source sentence
  config["training"]["max_steps"] = 60;
  ASSERT_EQ(workspace.train(config).exit_code, 0);
  const std::string first = "the child likes the bread .";
  const std::string second = "my friend eats an apple .";
  const auto alone = workspace.infer({first, second});
  const auto together = workspace.infer({"--no-split", first + " " + second});
  EXPECT_THAT(together.err, HasSubstr("translated in 2 parts"));
  const auto parts = split_lines(alone.out);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(together.out, parts[0] + " " + parts[1] + "\n");

  const auto word = workspace.infer({std::string(300, 'a')});  // no place to split at but between characters
  EXPECT_EQ(word.exit_code, 0) << word.err;
  EXPECT_EQ(split_lines(word.out).size(), 1U);
  EXPECT_THAT(word.err, ContainsRegex("translated in [0-9]+ parts"));
}

TEST(TranslateOddText, UnknownCharactersAreNoReasonToFail) {
  const auto result = trained().infer({"--json"}, "語 ☃ \xF0\x9F\x98\x80\nthe 語 sees a fish .\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines, Each(AllOf(Not(HasSubstr("<unk>")), Not(HasSubstr("<pad>")), Not(HasSubstr("<s>")))));
}

TEST(TranslateOddText, AControlCharacterOrNulIsNoReasonToFail) {
  const auto result = trained().infer({}, std::string("the cat\0 sees\na \x01\x1B bird\n", 24));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(split_lines(result.out).size(), 2U);
}

TEST(TranslateOddText, OutputThatReachesTheLimitSaysSoWithOneWarning) {
  const auto result = trained().infer({"--json", "--max-length", "1"},
                                      "the cat sees a fish .\na bird likes the bread .\n\nmy friend eats an apple .\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 4U);
  std::vector<bool> truncated;
  for (const auto& line : lines) {
    const auto object = Json::parse(line);
    truncated.push_back(object["truncated"]);
    EXPECT_EQ(object["tokens"].size(), truncated.back() ? 1U : 0U);
  }
  EXPECT_THAT(truncated, ElementsAre(true, true, false, true));
  EXPECT_EQ(count_of(result.err, "warning"), 1U) << result.err;
  EXPECT_THAT(result.err, HasSubstr("3 translations reached the length limit"));
}

TEST(TranslateOddText, OutputThatEndsByItselfIsNotTruncated) {
  const auto result = trained().infer({"--json", "the cat sees a fish ."});
  EXPECT_EQ(Json::parse(result.out)["truncated"], false);
  EXPECT_EQ(count_of(result.err, "warning"), 0U) << result.err;
}

}  // namespace
}  // namespace translate

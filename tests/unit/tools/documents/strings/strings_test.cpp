// JSON, YAML, gettext and tables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"
#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using translate::testing::error_of;

std::string written_with(std::string_view format, const std::string& file, const std::string& translation) {
  return read_as(format, file)->write(std::vector<AlignedText>{{.text = translation}});
}

TEST(JsonStrings, ValuesAreTextsAndKeysAreNot) {
  EXPECT_THAT(read_as("json", R"({"a": "one", "b": ["two", {"c": "three"}], "d": 1, "e": true})")->texts(),
              ElementsAre("one", "two", "three"));
  EXPECT_EQ(capitals(*read_as("json", "{\"a\" : \"x <b>y</b>\\nz\\t\"}\r\n")), "{\"a\" : \"X <b>Y</b>\\nZ\\t\"}\r\n");
  EXPECT_EQ(written_with("json", "[\"x\"]", "a \"b\" \\ \t\x01"), "[\"a \\\"b\\\" \\\\ \\t\\u0001\"]");
}

TEST(JsonStrings, NotesOfProgramsStay) {
  EXPECT_THAT(read_as("json", R"({"a": "x", "@a": {"description": "y"}})")->texts(), ElementsAre("x"));
  EXPECT_THAT(read_as("json", R"({"a": {"message": "x", "description": "y"}, "b": {"message": "z"}})")->texts(),
              ElementsAre("x", "z"));
  EXPECT_THAT(read_as("json", R"(["a\u0000b"])")->texts(), IsEmpty());
}

TEST(JsonStrings, ErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("json", "{\n\"a\": x}"); }), HasSubstr("file: line 2, column 6"));
}

TEST(YamlStrings, AreReadInAllTheirStyles) {
  EXPECT_THAT(
      read_as("yaml", "a: one\nb: 'it''s'\nc: \"x\\ny\"\nd: |\n  l1\n  l2\ne: >\n  f1\n  f2\n\n  g\nf: p1\n  p2\n")
          ->texts(),
      ElementsAre("one", "it's", "x", "y", "l1", "l2", "f1 f2", "g", "p1 p2"));
  EXPECT_THAT(read_as("yaml", "a: 1\nb: true\nc: null\nd: ~\ne: 2020-01-01\nf: [x, 2]\n? k\n: v\n")->texts(),
              ElementsAre("x", "v"));
}

TEST(YamlStrings, AreQuotedWhereTheyWouldMeanSomethingElse) {
  EXPECT_EQ(written_with("yaml", "a: x", "y z"), "a: y z");
  EXPECT_EQ(written_with("yaml", "a: x # c", "y: z"), "a: \"y: z\" # c");
  EXPECT_EQ(written_with("yaml", "a: x", "no"), "a: \"no\"");
  EXPECT_EQ(written_with("yaml", "a: x", "- y"), "a: \"- y\"");
  EXPECT_EQ(written_with("yaml", "a: [x]", "y, z"), "a: [\"y, z\"]");
  EXPECT_EQ(written_with("yaml", "a: 'x'", "l'eau"), "a: 'l''eau'");
  EXPECT_EQ(written_with("yaml", "a: \"x\"", "a \"b\""), "a: \"a \\\"b\\\"\"");
  EXPECT_EQ(written_with("yaml", "a: é x\nb: 1\n", "é y"), "a: é y\nb: 1\n");
}

TEST(YamlStrings, ErrorsNameTheLine) {
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("yaml", "a: 1\nb: [\n"); }), HasSubstr("file: line "));
  // The parser does not get on from here.
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("yaml", "a: b\n---\n, c\n"); }), HasSubstr("file: line 3: "));
}

TEST(PoCatalog, EmptyTranslationsAreFilledAndFuzzy) {
  EXPECT_EQ(capitals(*read_as("po", "#: a.c\n#, c-format\nmsgid \"The cat\"\nmsgstr \"\"\n")),
            "#: a.c\n#, fuzzy, c-format\nmsgid \"The cat\"\nmsgstr \"THE CAT\"\n");
  EXPECT_EQ(capitals(*read_as("po", "msgid \"\"\n\"a\\n\"\n\"b\"\nmsgstr \"\"\n")),
            "#, fuzzy\nmsgid \"\"\n\"a\\n\"\n\"b\"\nmsgstr \"\"\n\"A\\n\"\n\"B\"\n");
}

TEST(PoCatalog, PluralFormsComeFromBothTexts) {
  EXPECT_EQ(capitals(*read_as(
                "po", "msgid \"a file\"\nmsgid_plural \"files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"\"\n")),
            "#, fuzzy\nmsgid \"a file\"\nmsgid_plural \"files\"\nmsgstr[0] \"A FILE\"\nmsgstr[1] \"FILES\"\nmsgstr[2] "
            "\"FILES\"\n");
}

TEST(PoCatalog, WhatIsTranslatedOrObsoleteStays) {
  const std::string file =
      "msgid \"\"\nmsgstr \"Language: fr\\n\"\n\n#, fuzzy\nmsgid \"a\"\nmsgstr \"b\"\n\n#~ msgid \"c\"\n#~ msgstr "
      "\"\"\n";
  EXPECT_THAT(read_as("po", file)->texts(), IsEmpty());
  EXPECT_EQ(capitals(*read_as("po", file)), file);
}

TEST(PoCatalog, ErrorsNameTheLine) {
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("po", "msgid \"a\nmsgstr \"\"\n"); }),
              HasSubstr("file: line 1: the string has no end"));
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("po", "\nhello\n"); }), HasSubstr("file: line 2: \"hello\""));
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("po", "msgid \"\\q\"\nmsgstr \"\"\n"); }),
              HasSubstr("line 1: an escape"));
}

TEST(Table, ColumnsAreTranslatedByNameOrNumber) {
  const std::string file = "id,text\n1,\"the \"\"cat\"\"\"\n2,a dog\n";
  EXPECT_EQ(capitals(*read_as("csv", file, {"text"})), "id,text\n1,\"THE \"\"CAT\"\"\"\n2,A DOG\n");
  EXPECT_EQ(capitals(*read_as("csv", file, {"2"})), "id,TEXT\n1,\"THE \"\"CAT\"\"\"\n2,A DOG\n");
  EXPECT_EQ(capitals(*read_as("tsv", "a\tb\nc\td\n", {"1"})), "A\tb\nC\td\n");
  EXPECT_EQ(read_as("csv", "x;y\nz;a\n", {"y"})->write(std::vector<AlignedText>{{.text = "b; c"}}),
            "x;y\nz;\"b; c\"\n");
}

TEST(Table, ErrorsNameColumnsAndLines) {
  EXPECT_THAT(error_of<ConfigError>([] { (void)read_as("csv", "id,text\n"); }),
              HasSubstr("the first line has id, text"));
  EXPECT_THAT(error_of<ConfigError>([] { (void)read_as("csv", "id,text\n", {"x"}); }), HasSubstr("column x"));
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("csv", "id\n\"x\n", {"id"}); }), HasSubstr("file: line 2"));
}

}  // namespace
}  // namespace translate::tools

// XML, and the formats that are XML.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "documents/xml/xml_file.h"
#include "support/error_of.h"
#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using translate::testing::error_of;

std::string strings(const std::string& content) { return "<resources>" + content + "</resources>"; }

TEST(Xml, ErrorsNameTheLine) {
  const auto error = [](const std::string& file) {
    return error_of<DataError>([&] { (void)read_as("android", file); });
  };
  EXPECT_EQ(error("<resources>\n<a></b>"), "file: line 2: not well-formed XML: mismatched tag");
  EXPECT_THAT(error(""), HasSubstr("file: line 1: not well-formed XML"));
  EXPECT_THAT(error("<resources><string>a"), HasSubstr("file: line 1: not well-formed XML"));
  EXPECT_THAT(error("<a/>"), HasSubstr("expected <resources>"));
  EXPECT_THAT(error("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><resources/>"), HasSubstr("encoding ISO-8859-1"));
  EXPECT_THAT(error(strings("<string>&nbsp;</string>")), HasSubstr("undefined entity"));
}

TEST(Xml, EntitiesAreNeitherDefinedNorFetched) {
  const std::string bomb =
      "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
      "\"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n<resources>&b;</resources>";
  EXPECT_THAT(error_of<DataError>([&] { (void)read_as("android", bomb); }),
              HasSubstr("file: line 1: defines the entity a"));
  const std::string file = "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><resources>&x;</resources>";
  EXPECT_THAT(error_of<DataError>([&] { (void)read_as("android", file); }), HasSubstr("defines the entity x"));
  const std::string other = "<!DOCTYPE r SYSTEM \"http://127.0.0.1/x.dtd\"><resources><string>&x;</string></resources>";
  EXPECT_THAT(error_of<DataError>([&] { (void)read_as("android", other); }), HasSubstr("the entity &x;"));
}

TEST(Xml, AttributesOfTagsAreSet) {
  EXPECT_EQ(with_attribute("<a>", "b", "c"), "<a b=\"c\">");
  EXPECT_EQ(with_attribute("<a />", "b", "\"&"), "<a b=\"&quot;&amp;\" />");
  EXPECT_EQ(with_attribute("<a x='1' b = 'old' y=\"2\"/>", "b", "c"), "<a x='1' b=\"c\" y=\"2\"/>");
  EXPECT_EQ(without_attribute("<a x='1' b='>' y=\"2\">", "b"), "<a x='1' y=\"2\">");
  EXPECT_EQ(without_attribute("<a x='b=1'>", "b"), "<a x='b=1'>");
}

TEST(AndroidStrings, EscapesAreUndoneAndMadeAgain) {
  EXPECT_THAT(read_as("android", strings("<string>It\\'s \\u00e9 &lt;3\\nnext</string>"))->texts(),
              ElementsAre("It's é <3", "next"));
  EXPECT_EQ(capitals(*read_as("android", strings("<string>It\\'s a \\\"b\\\"\\nc &amp; d</string>"))),
            strings("<string>IT\\'S A \\\"B\\\"\\nC &amp; D</string>"));
  EXPECT_EQ(read_as("android", strings("<string>x</string>"))->write(std::vector<AlignedText>{{.text = "@y"}}),
            strings("<string>\\@y</string>"));
}

TEST(AndroidStrings, MarkupComesBack) {
  EXPECT_EQ(capitals(*read_as("android", strings("<string>a <b>c</b> <xliff:g id=\"x\">%d d</xliff:g> e</string>"))),
            strings("<string>A <b>C</b> <xliff:g id=\"x\">%d d</xliff:g> E</string>"));
  EXPECT_EQ(capitals(*read_as("android", strings("<string>\"a  b\"</string>"))), strings("<string>\"A  B\"</string>"));
}

TEST(AndroidStrings, ACdataSectionIsAString) {
  const std::string written =
      capitals(*read_as("android", strings("<string> <![CDATA[a <b>b</b> & it\\'s\\nc]]></string>")));
  EXPECT_EQ(written, strings("<string> <![CDATA[A <b>B</b> & IT\\'S\\nC]]></string>"));
}

TEST(AndroidStrings, WhatIsNoTextStays) {
  const auto file = strings(
      "<string translatable=\"false\">a</string><string>@string/x</string><string>?attr/y</string><color "
      "name=\"c\">b</color><string-array translatable=\"false\"><item>c</item></string-array><string/>");
  EXPECT_THAT(read_as("android", file)->texts(), IsEmpty());
}

std::string xliff(const std::string& unit) {
  return "<xliff version=\"1.2\"><file target-language=\"fr\"><body>" + unit + "</body></file></xliff>";
}
const std::string kTarget = "<target state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\">";

TEST(Xliff, TargetsAreFilled) {
  EXPECT_EQ(
      capitals(*read_as(
          "xliff", xliff("<trans-unit id=\"1\">\n  <source>a <g id=\"1\">b</g><x id=\"2\"/></source>\n</trans-unit>"))),
      xliff("<trans-unit id=\"1\">\n  <source>a <g id=\"1\">b</g><x id=\"2\"/></source>\n  " + kTarget +
            "A <g id=\"1\">B</g><x id=\"2\"/></target>\n</trans-unit>"));
  EXPECT_EQ(capitals(*read_as("xliff", xliff("<trans-unit><source>a</source><target/></trans-unit>"))),
            xliff("<trans-unit><source>a</source>" + kTarget + "A</target></trans-unit>"));
  EXPECT_EQ(
      capitals(*read_as("xliff", xliff("<trans-unit><source>a</source><target state=\"new\">a</target></trans-unit>"))),
      xliff("<trans-unit><source>a</source>" + kTarget + "A</target></trans-unit>"));
}

TEST(Xliff, PairsThatAreNoElementsAreMarks) {
  const std::string source = "<bpt id=\"1\">&lt;b></bpt>a b<ept id=\"1\">&lt;/b></ept> c <ph id=\"2\">%s</ph>";
  EXPECT_THAT(read_as("xliff", xliff("<trans-unit><source>" + source + "</source></trans-unit>"))->texts(),
              ElementsAre("a b c"));
  EXPECT_THAT(capitals(*read_as("xliff", xliff("<trans-unit><source>" + source + "</source></trans-unit>"))),
              HasSubstr("<bpt id=\"1\">&lt;b></bpt>A B<ept id=\"1\">&lt;/b></ept> C <ph id=\"2\">%s</ph></target>"));
}

TEST(Xliff, WhatIsDoneStays) {
  for (const auto* unit : {"<trans-unit translate=\"no\"><source>a</source></trans-unit>",
                           "<trans-unit approved=\"yes\"><source>a</source></trans-unit>",
                           "<trans-unit><source>a</source><target>b</target></trans-unit>",
                           "<group translate=\"no\"><trans-unit><source>a</source></trans-unit></group>",
                           "<trans-unit><source><![CDATA[a]]></source></trans-unit>",
                           "<trans-unit><source>a</source><target><![CDATA[b]]></target></trans-unit>",
                           "<trans-unit><source> </source></trans-unit>"}) {
    EXPECT_THAT(read_as("xliff", xliff(unit))->texts(), IsEmpty()) << unit;
  }
}

TEST(Xliff, TheSecondVersionHasStatesOfSegments) {
  EXPECT_EQ(
      capitals(*read_as("xliff",
                        "<xliff version=\"2.0\" srcLang=\"en\"><file id=\"f\"><unit id=\"u\"><segment "
                        "subState=\"x:y\"><source>a <pc id=\"1\">b</pc></source></segment></unit></file></xliff>")),
      "<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"fr\"><file id=\"f\"><unit id=\"u\"><segment "
      "state=\"translated\"><source>a <pc id=\"1\">b</pc></source><target>A <pc "
      "id=\"1\">B</pc></target></segment></unit></file></xliff>");
}

TEST(Tmx, TheMissingSideIsFilled) {
  const auto tmx = [](const std::string& unit) {
    return "<tmx version=\"1.4\"><header srclang=\"en\"/><body>" + unit + "</body></tmx>";
  };
  EXPECT_EQ(capitals(*read_as("tmx", tmx("<tu>\n<tuv xml:lang=\"EN-US\"><seg>a <hi>b</hi></seg></tuv>\n</tu>"))),
            tmx("<tu>\n<tuv xml:lang=\"EN-US\"><seg>a <hi>b</hi></seg></tuv>\n<tuv xml:lang=\"fr\"><seg>A "
                "<hi>B</hi></seg></tuv>\n</tu>"));
  EXPECT_EQ(
      capitals(*read_as("tmx", tmx("<tu><tuv lang=\"fr-CA\"><seg/></tuv><tuv lang=\"en\"><seg>a</seg></tuv></tu>"))),
      tmx("<tu><tuv lang=\"fr-CA\"><seg>A</seg></tuv><tuv lang=\"en\"><seg>a</seg></tuv></tu>"));
  EXPECT_THAT(
      read_as("tmx", tmx("<tu><tuv lang=\"en\"><seg>a</seg></tuv><tuv lang=\"fr\"><seg>b</seg></tuv></tu>"))->texts(),
      IsEmpty());
}

}  // namespace
}  // namespace translate::tools

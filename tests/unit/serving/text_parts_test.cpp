#include "translate/serving/text_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

std::string rejoined(const TextParts& parts, TextFormat format) { return join_parts(parts, parts.texts, format); }

std::string in_capitals(std::string_view html) {
  auto parts = split_html(html);
  for (auto& text : parts.texts) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  }
  return rejoined(parts, TextFormat::kHtml);
}

TEST(PlainText, IsItsLines) {
  EXPECT_THAT(split_plain_text("one").texts, ElementsAre("one"));
  EXPECT_THAT(split_plain_text("one\ntwo\r\nthree\n").texts, ElementsAre("one", "two", "three"));
  EXPECT_THAT(split_plain_text("\n \n\t\r\n").texts, IsEmpty());
  EXPECT_THAT(split_plain_text("").texts, IsEmpty());
}

TEST(PlainText, ComesTogetherAgainAsItWas) {
  for (const std::string text : {"", "a", "a\n", "\na", "a\r\nb", "\r\n", "\n\n\na\n  \nb\n\n", " a \n\tb", "a\rb\n"}) {
    const auto parts = split_plain_text(text);
    EXPECT_EQ(parts.between.size(), parts.texts.size() + 1);
    EXPECT_EQ(rejoined(parts, TextFormat::kText), text);
  }
}

TEST(PlainText, TranslationsStandInThePlacesOfTheLines) {
  const auto parts = split_plain_text("a\n\nb\r\n");
  EXPECT_EQ(join_parts(parts, Texts{"x & y", "<z>"}, TextFormat::kText), "x & y\n\n<z>\r\n");
}

TEST(Html, TextsAreWhatStandsBetweenTags) {
  EXPECT_THAT(split_html("<p>One <b>two</b> three.</p><p>Four</p>").texts, ElementsAre("One", "two", "three.", "Four"));
  EXPECT_EQ(in_capitals("<p class=\"a\">One <b>two</b>\n three.</p>"), "<p class=\"a\">ONE <b>TWO</b>\n THREE.</p>");
}

TEST(Html, WhiteSpaceInsideATextIsOneSpaceAndAroundItStays) {
  EXPECT_THAT(split_html(" \n<p>  a\n   b\t c \n</p>").texts, ElementsAre("a b c"));
  EXPECT_EQ(in_capitals(" \n<p>  a\n   b \n</p>"), " \n<p>  A B \n</p>");
}

TEST(Html, CharacterReferencesAreDecodedAndMarkupIsEncoded) {
  EXPECT_THAT(split_html("caf&eacute; &amp; th&#233; &lt;3").texts, ElementsAre("café & thé <3"));
  const auto parts = split_html("<i>x</i>");
  EXPECT_EQ(join_parts(parts, Texts{"<script>&</script>"}, TextFormat::kHtml),
            "<i>&lt;script&gt;&amp;&lt;/script&gt;</i>");
}

TEST(Html, WhatNoOneSpeaksStays) {
  for (const std::string html :
       {"<script>if (a < b) { x('<p>no</p>'); }</script>", "<style>p > a { }</style>", "<code>int a;</code>",
        "<pre>a\n  b</pre>", "<!-- a comment <b>with</b> tags -->", "<!DOCTYPE html>", "<?xml version='1.0'?>",
        "<SCRIPT>a</Script >", "<p translate=\"no\">Name <b>of</b> it</p>", "<span translate='no'>Name</span>",
        "<img alt='a > b' src=x>", "<br/>", "&nbsp;", " \n "}) {
    EXPECT_THAT(split_html(html).texts, IsEmpty()) << html;
    EXPECT_EQ(in_capitals(html), html);
  }
}

TEST(Html, TranslationGoesOnBehindWhatStays) {
  EXPECT_EQ(in_capitals("<code>a<code>b</code>c</code>d"), "<code>a<code>b</code>c</code>D");
  EXPECT_EQ(in_capitals("<script>a</script>b"), "<script>a</script>B");
  EXPECT_EQ(in_capitals("<br translate=no>b"), "<br translate=no>B");
}

TEST(Html, AnAngleThatBeginsNoTagIsText) {
  EXPECT_THAT(split_html("2 < 3 and 4<5").texts, ElementsAre("2 < 3 and 4<5"));
  EXPECT_EQ(in_capitals("a < b"), "A &lt; B");
  EXPECT_THAT(split_html("<").texts, ElementsAre("<"));
}

TEST(Html, WhatIsNotClosedGoesToTheEnd) {
  for (const std::string html : {"<p", "<!-- a", "<script>a", "<p title=\"a>b", "<code>a", "</p", "<!"}) {
    EXPECT_EQ(in_capitals(html), html);
  }
  EXPECT_EQ(in_capitals("<p><b>a"), "<p><b>A");
}

TEST(Html, PlainTextComesTogetherAgain) {
  EXPECT_EQ(in_capitals("HELLO, WORLD."), "HELLO, WORLD.");
  EXPECT_EQ(rejoined(split_html("Zoë &amp; Éloïse – “ok”"), TextFormat::kHtml), "Zoë &amp; Éloïse – “ok”");
}

}  // namespace
}  // namespace translate

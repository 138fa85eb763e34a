#include "segments/placeholders.h"

#include <gtest/gtest.h>

#include <string>

namespace translate {
namespace {

TEST(Placeholders, OfProgramsAreKnown) {
  for (const std::string text : {"{0}",      "{name}", "{}",          "{ name }", "{0:d}",
                                 "{n:.2f}",  "{x!r}",  "{n, number}", "{{x}}",    "{{ x | upper }}",
                                 "${x}",     "#{x}",   "%{count}",    "$t(key)",  "$name",
                                 "$NAME$",   "%s",     "%d",          "%1$d",     "%-5.2f",
                                 "%(name)s", "%lld",   "%@",          "%%",       "%1",
                                 "%L1",      "%n",     ":name",       ":smile:",  "{user.name}",
                                 "{a[0]}",   "%*d"}) {
    EXPECT_EQ(placeholder_length(text, 0), text.size()) << text;
    EXPECT_EQ(placeholder_length(text + " cats", 0), text.size()) << text;
    EXPECT_EQ(placeholder_length("a " + text + ".", 2), text.size()) << text;
  }
}

TEST(Placeholders, WhatTextHasIsNone) {
  for (const std::string text : {"{see the page}", "{", "{{", "$5", "$", "%", "% of", "%discount", "#", "# 1", "@", ":",
                                 ": it", ":D", ":-)", "::", "{a {b}}"}) {
    EXPECT_EQ(placeholder_length(text, 0), 0U) << text;
  }
  EXPECT_EQ(placeholder_length("50%de", 2), 0U);
  EXPECT_EQ(placeholder_length("12:ab", 2), 0U);
  EXPECT_EQ(placeholder_length("it:name", 2), 0U);
}

TEST(Placeholders, UnitsMayFollow) {
  EXPECT_EQ(placeholder_length("%ds ago", 0), 2U);
  EXPECT_EQ(placeholder_length("%dpx", 0), 2U);
}

TEST(Placeholders, LongTextIsLookedAtInBoundedTime) {
  for (const std::string repeated : {"{", "{{", "{a", "%", "$t(", ":a", "<a ", "<a b=\""}) {
    std::string text;
    while (text.size() < 20'000) {
      text += repeated;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
      static_cast<void>(placeholder_length(text, at));
      static_cast<void>(text_tag(text, at));
    }
  }
}

TEST(TextTag, KindAndNameAreTold) {
  const auto expect = [](const std::string& text, TextTag::Kind kind, const std::string& name) {
    const auto line = "a " + text + " b";
    const auto tag = text_tag(line, 2);
    EXPECT_EQ(tag.length, text.size()) << text;
    EXPECT_EQ(tag.kind, kind) << text;
    EXPECT_EQ(tag.name, name) << text;
  };
  expect("<b>", TextTag::Kind::kOpening, "b");
  expect("</b>", TextTag::Kind::kClosing, "b");
  expect("<br/>", TextTag::Kind::kEmpty, "br");
  expect("<br />", TextTag::Kind::kEmpty, "br");
  expect("<0>", TextTag::Kind::kOpening, "0");
  expect("</0>", TextTag::Kind::kClosing, "0");
  expect(R"(<a href="https://example.org/?a=b" title='x'>)", TextTag::Kind::kOpening, "a");
}

TEST(TextTag, ComparisonsAreNone) {
  for (const std::string text : {"< b>", "<", "<>", "<3", "a < b", "<-", "<<b>", "<b", "<user@example.org>"}) {
    EXPECT_EQ(text_tag(text, 0).length, 0U) << text;
  }
}

}  // namespace
}  // namespace translate

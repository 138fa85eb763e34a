#include "translate/serving/character_references.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(CharacterReferences, NamesAndNumbers) {
  EXPECT_EQ(decode_character_references("&lt;a&gt; &amp; &quot;b&quot; &apos;"), "<a> & \"b\" '");
  EXPECT_EQ(decode_character_references("&#233;&#xe9;&#XE9;"), "ééé");
  EXPECT_EQ(decode_character_references("&#x1F600;"), "\U0001F600");
  EXPECT_EQ(decode_character_references("&hellip;&euro;&rsquo;"), "…€’");
}

TEST(CharacterReferences, TheTableOfLatin1IsInOrder) {
  EXPECT_EQ(decode_character_references("&nbsp;"), "\u00a0");
  EXPECT_EQ(decode_character_references("&iquest;&Agrave;"), "¿À");
  EXPECT_EQ(decode_character_references("&times;&szlig;&divide;"), "×ß÷");
  EXPECT_EQ(decode_character_references("&ccedil;&eacute;&yuml;"), "çéÿ");
}

TEST(CharacterReferences, WhatIsNoneStays) {
  for (const std::string text : {"&", "&&", "a & b", "&;", "&nosuchname;", "&amp", "&#;", "&#x;", "&#12a;", "&#0;",
                                 "&#99999999999;", "&toolongforaname;", "AT&T"}) {
    EXPECT_EQ(decode_character_references(text), text);
  }
}

TEST(CharacterReferences, AreDecodedOnce) { EXPECT_EQ(decode_character_references("&amp;lt;"), "&lt;"); }

TEST(CharacterReferences, WhatIsNoCharacterIsReplaced) {
  EXPECT_EQ(decode_character_references("&#xD800;"), "\uFFFD");
  EXPECT_EQ(decode_character_references("&#x110000;"), "\uFFFD");
}

}  // namespace
}  // namespace translate

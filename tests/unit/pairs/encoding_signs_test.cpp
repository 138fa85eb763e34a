#include "pairs/encoding_signs.h"

#include <gtest/gtest.h>

#include <string>

#include "core/utf8.h"

namespace translate {
namespace {

/// What comes of reading UTF-8 as Latin-1.
std::string misread(const std::string& text) {
  std::u32string characters;
  for (const char c : text) {
    characters.push_back(static_cast<unsigned char>(c));
  }
  return encode_utf8(characters);
}

TEST(EncodingSigns, MisreadTextIsSeen) {
  for (const std::string text : {"café", "déjà vu", "«\u00a0oui\u00a0»", "l’été", "naïve", "“quoted”", "привет",
                                 "日本語", "Ελλάδα", "a – b", "10 €", "😀"}) {
    EXPECT_FALSE(looks_read_as_latin(text)) << text;
    EXPECT_TRUE(looks_read_as_latin(misread(text))) << text;
  }
  for (const std::string text :
       {"itâ€™s", "cafÃ©", "â€œyesâ€\u009d", "Ã\u00a0 la carte", "Â«\u00a0oui", "Ð¿Ñ€Ð¸Ð²ÐµÑ‚"}) {
    EXPECT_TRUE(looks_read_as_latin(text)) << text;
  }
}

TEST(EncodingSigns, OrdinaryTextIsLeftInPeace) {
  for (const std::string text : {"", "plain", "«CAFÉ»", "«café»…", "É»", "à « la » carte", "São João", "Âge", "château",
                                 "ÂME", "Mädchen „Über“", "«été»”", "½ café", "Ça va ?", "\xFF\xFE", "İstanbul’da"}) {
    EXPECT_FALSE(looks_read_as_latin(text)) << text;
  }
}

TEST(EncodingSigns, ControlCharactersAreSeen) {
  for (const auto& text :
       {std::string("a\0b", 3), std::string("\x1B[2J"), std::string("\x7F"), std::string("a\r"), std::string("\u0085"),
        std::string("\u009F"), std::string("caf\uFFFD"), std::string("\uFFFE")}) {
    EXPECT_TRUE(has_control_characters(text)) << text;
  }
  for (const std::string text : {"", "a\tb", "caf\u00e9", "\u00A0", "\u200B", "\U0001F600"}) {
    EXPECT_FALSE(has_control_characters(text)) << text;
  }
}

}  // namespace
}  // namespace translate

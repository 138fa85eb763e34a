#include "translate/serving/language_names.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(LanguageNames, CodesWithAndWithoutRegions) {
  EXPECT_EQ(language_name("en"), "English");
  EXPECT_EQ(language_name("FR"), "French");
  EXPECT_EQ(language_name("pt-BR"), "Portuguese (BR)");
  EXPECT_EQ(language_name("zh_Hant"), "Chinese (Hant)");
  EXPECT_EQ(language_name("af"), "Afrikaans");
  EXPECT_EQ(language_name("zu"), "Zulu");
}

TEST(LanguageNames, AnUnknownCodeIsItsOwnName) {
  for (const std::string code : {"tlh", "", "-", "x-klingon", "english"}) {
    EXPECT_EQ(language_name(code), code);
  }
}

}  // namespace
}  // namespace translate

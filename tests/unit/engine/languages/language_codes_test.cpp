#include "languages/language_codes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace translate {
namespace {

using Codes = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::string kWithNul("en\0", 3);

TEST(LanguageCodes, SpellingsOfOneCode) {
  for (const auto& [code, other] : Pairs{{"fr", "fra"},
                                         {"deu", "de"},
                                         {"pt-BR", "por_br"},
                                         {"EN", "en"},
                                         {"zh_Hans", "zh-hans"},
                                         {"gsw", "GSW"},
                                         {"iw", "he"},
                                         {"iw_IL", "heb-il"},
                                         {"zt", "zho_Hant"},
                                         {"pb", "pt-BR"}}) {
    EXPECT_EQ(compare_languages(code, other), LanguageMatch::kCode) << code << " " << other;
    EXPECT_EQ(compare_languages(other, code), LanguageMatch::kCode) << code << " " << other;
  }
  for (const auto& [code, other] : Pairs{{"fr", "fro"},
                                         {"pt", "pt-BR"},
                                         {"en", "source"},
                                         {"zh_Hans", "zh_Hant"},
                                         {"", "en"},
                                         {"zh", "zh_Hans"},
                                         {"no", "nb"},
                                         {"zh", "cmn"},
                                         {"en", kWithNul},
                                         {"eng", kWithNul}}) {
    EXPECT_NE(compare_languages(code, other), LanguageMatch::kCode) << code << " " << other;
    EXPECT_NE(compare_languages(other, code), LanguageMatch::kCode) << code << " " << other;
  }
}

TEST(LanguageCodes, OfOneLanguageWhateverTheScriptOrRegion) {
  for (const auto& [code, other] : Pairs{{"pt-BR", "PT"},
                                         {"zh-Hant", "zh_CN"},
                                         {"cmn_Hans", "zh-TW"},
                                         {"zho", "cmn"},
                                         {"nb", "no"},
                                         {"nn", "nob"},
                                         {"nor", "nno"},
                                         {"iw", "he"},
                                         {"por", "pt-BR"},
                                         {"arb_Arab", "ar"}}) {
    EXPECT_NE(compare_languages(code, other), LanguageMatch::kNone) << code << " " << other;
    EXPECT_NE(compare_languages(other, code), LanguageMatch::kNone) << code << " " << other;
  }
  for (const auto& [code, other] : Pairs{{"en", "enm"}, {"en", "fr"}, {"zh", "yue"}, {"en", kWithNul}, {"", "en"}}) {
    EXPECT_EQ(compare_languages(code, other), LanguageMatch::kNone) << code << " " << other;
  }
}

TEST(LanguageCodes, TheMainLanguage) {
  for (const auto& [code, language] : Pairs{{"cmn_Hans", "zh"},
                                            {"nb", "no"},
                                            {"NOB", "no"},
                                            {"iw", "he"},
                                            {"pt-BR", "pt"},
                                            {"zt", "zh"},
                                            {"yue_Hant", "yue"},
                                            {"", ""},
                                            {"source", "source"}}) {
    EXPECT_EQ(main_language(code), language) << code;
  }
}

TEST(LanguageCodes, OfOneLanguageOrOfSeveral) {
  for (const auto* code : {"en", "deu", "gsw", "pt-BR", "FR", "zh_Hant"}) {
    EXPECT_TRUE(is_one_language(code)) << code;
  }
  for (const auto* code : {"mul", "roa", "GMQ", "source", "ROMANCE", "", "e1"}) {
    EXPECT_FALSE(is_one_language(code)) << code;
  }
}

std::string found_code(const Codes& codes, std::string_view wanted) {
  const auto index = find_language_code(codes, wanted);
  return index ? codes[*index] : "none";
}

TEST(FindLanguageCode, TakesTheNearestOne) {
  const Codes codes = {"pt-BR", "fra", "zh_Hans", "pt", "zh_Hant", "de"};
  EXPECT_EQ(found_code(codes, "pt"), "pt");
  EXPECT_EQ(found_code(codes, "por_br"), "pt-BR");
  EXPECT_EQ(found_code(codes, "pt-PT"), "pt");
  EXPECT_EQ(found_code(codes, "fr"), "fra");
  EXPECT_EQ(found_code(codes, "zh_Hant"), "zh_Hant");
  EXPECT_EQ(found_code(codes, "it"), "none");
  EXPECT_EQ(found_code(codes, ""), "none");
  EXPECT_EQ(found_code({"en", "fr"}, kWithNul), "none");
  EXPECT_EQ(find_language_code(Codes{"de", "zh_Hans", "zh_Hans"}, "zh"), 1U);
  EXPECT_EQ(find_language_code({}, "de"), std::nullopt);
}

TEST(FindLanguageCode, KnowsTheScriptsOfLanguagesAndRegions) {
  const Codes both = {"en", "zh-Hans", "zh-Hant"};
  const Codes tags = {"cjy_Hant", "cmn_Hant", "cmn_Hans", "yue_Hant"};
  for (const auto* simplified : {"zh", "zh-CN", "zho", "cmn", "zh_SG", "zh-Hans-CN"}) {
    EXPECT_EQ(found_code(both, simplified), "zh-Hans") << simplified;
    EXPECT_EQ(found_code(tags, simplified), "cmn_Hans") << simplified;
  }
  for (const auto* traditional : {"zt", "zh-TW", "zh-HK", "zh_Hant", "cmn_Hant", "zh-Hant-TW"}) {
    EXPECT_EQ(found_code(both, traditional), "zh-Hant") << traditional;
    EXPECT_EQ(found_code(tags, traditional), "cmn_Hant") << traditional;
  }
  EXPECT_EQ(found_code({"zh", "zh_Hant"}, "zh-TW"), "zh_Hant") << "rather than the language alone";
  EXPECT_EQ(found_code({"zh"}, "zh-TW"), "zh") << "the language alone";
  EXPECT_EQ(found_code({"zh-Hans"}, "zh-TW"), "none");
  EXPECT_EQ(found_code({"zh-Hant"}, "zh"), "zh-Hant") << "the only one";
  EXPECT_EQ(found_code({"zh-CN", "zh-TW"}, "zh"), "zh-CN");
  EXPECT_EQ(found_code({"srp_Latn", "srp_Cyrl"}, "sr"), "srp_Cyrl");
  EXPECT_EQ(found_code({"en", "zt"}, "zh-TW"), "zt");
}

TEST(FindLanguageCode, ARegionThatIsNotNamedHasToBeTheOnlyOne) {
  EXPECT_EQ(found_code({"pt-BR"}, "pt"), "pt-BR");
  EXPECT_EQ(found_code({"pt-BR", "pt-PT"}, "pt"), "none");
  EXPECT_EQ(found_code({"pt-BR", "pt-PT"}, "pb"), "pt-BR");
  EXPECT_EQ(found_code({"pt-BR"}, "pt-PT"), "none");
  EXPECT_EQ(found_code({"en", "ca"}, "ca-valencia"), "ca");
}

TEST(FindLanguageCode, KnowsMacrolanguages) {
  EXPECT_EQ(found_code({"en", "nb"}, "no"), "nb");
  EXPECT_EQ(found_code({"nn", "nb"}, "no"), "nb");
  EXPECT_EQ(found_code({"nno", "nob"}, "nor"), "nob");
  EXPECT_EQ(found_code({"no"}, "nb"), "no");
  EXPECT_EQ(found_code({"nb"}, "nn"), "none");
  EXPECT_EQ(found_code({"arz", "arb_Arab"}, "ar"), "arb_Arab");
  EXPECT_EQ(found_code({"lvs_Latn"}, "lv"), "lvs_Latn");
  EXPECT_EQ(found_code({"yue"}, "zh"), "none");
}

}  // namespace
}  // namespace translate

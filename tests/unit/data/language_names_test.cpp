#include "data/language_names.h"

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
  EXPECT_EQ(language_name("gsw"), "Swiss German");
  EXPECT_EQ(language_name("nb"), "Norwegian Bokmål");
}

TEST(LanguageNames, AreTheUsualOnesWhereIcuHasOthers) {
  EXPECT_EQ(language_name("bn"), "Bengali");
  EXPECT_EQ(language_name("fy"), "Frisian");
  EXPECT_EQ(language_name("gd"), "Scots Gaelic");
}

TEST(LanguageNames, AnUnknownCodeIsItsOwnName) {
  for (const std::string code : {"qqq", "", "-", "x-klingon", "english", "d3", "../de"}) {
    EXPECT_EQ(language_name(code), code);
  }
}

TEST(LanguageNames, TheExtensionOfAFileIsItsLanguage) {
  for (const auto& [file, code] :
       std::initializer_list<std::pair<std::string, std::string>>{{"train.de", "de"},
                                                                  {"/x.fr/train.tok.en.gz", "en"},
                                                                  {"news.pt-BR", "pt-BR"},
                                                                  {"news.zh_Hant.gz", "zh_Hant"},
                                                                  {"train.txt", ""},
                                                                  {"train.gz", ""},
                                                                  {"de", ""},
                                                                  {".de", ""},
                                                                  {"corpus.de-en", ""},
                                                                  {"corpus.in", ""},  // withdrawn
                                                                  {"train.br", "br"},
                                                                  {"train.tok", ""},  // Toki Pona, too
                                                                  {"train.de.txt", ""},
                                                                  {"train.", ""},
                                                                  {"", ""},
                                                                  {"train.english.gz", ""},
                                                                  {"train.pt-", ""},
                                                                  {"train.de-old2", ""}}) {
    EXPECT_EQ(language_of_file(file), code) << file;
  }
}

TEST(LanguageNames, CodesAreLabelsThenExtensionsThenSourceAndTarget) {
  const auto codes = [](const DataOptions& data) {
    const auto [source, target] = language_codes(data);
    return source + " " + target;
  };
  DataOptions data;
  EXPECT_EQ(codes(data), "source target");
  data.train = {{.source = "train.de.gz", .target = "train.en.gz"}};
  EXPECT_EQ(codes(data), "de en");
  data.source_language = "gsw";
  EXPECT_EQ(codes(data), "gsw en");
  data.source_language = "";
  data.train = {{.source = "train.de", .target = "target.txt"}};
  EXPECT_EQ(codes(data), "de target");
  data.train = {{.source = "old.en", .target = "new.en"}};  // they do not tell the sides apart
  EXPECT_EQ(codes(data), "source target");
}

TEST(LanguageNames, CorporaNameTheirOwn) {
  DataOptions data;
  data.source_language = "en";
  data.train = {{.source = "a.it", .target = "a.fr", .target_language = "fra"},
                {.source = "b", .target = "b", .source_language = "de"},
                {.source = "c.it", .target = "c.fr", .target_language = "fra"}};
  EXPECT_EQ(language_pairs(data), (std::vector<LanguageCodes>{{"en", "fra"}, {"de", "target"}}));
  EXPECT_EQ(language_codes(data), (LanguageCodes{"en", "fra"}));
  data.train = {{.source = "a.it", .target = "a.fr"}, {.source = "a.it", .target = "a.de"}};
  EXPECT_EQ(language_pairs(data), (std::vector<LanguageCodes>{{"en", "fr"}})) << "none names a language";
}

TEST(LanguageNames, CodesOfTwoAndThreeLettersAreTheSame) {
  for (const auto& [code, other] : std::vector<std::pair<std::string, std::string>>{
           {"fr", "fra"}, {"deu", "de"}, {"pt-BR", "por_br"}, {"EN", "en"}, {"zh_Hans", "zh-hans"}, {"gsw", "GSW"}}) {
    EXPECT_TRUE(is_same_language_code(code, other)) << code << " " << other;
    EXPECT_TRUE(is_same_language_code(other, code)) << code << " " << other;
  }
  for (const auto& [code, other] : std::vector<std::pair<std::string, std::string>>{
           {"fr", "fro"}, {"pt", "pt-BR"}, {"en", "source"}, {"zh_Hans", "zh_Hant"}, {"", "en"}}) {
    EXPECT_FALSE(is_same_language_code(code, other)) << code << " " << other;
  }
}

TEST(FindLanguageCode, TakesTheNearestOne) {
  const std::vector<std::string> codes = {"pt-BR", "fra", "zh_Hans", "pt", "zh_Hant", "de"};
  const auto found = [&](std::string_view wanted) {
    const auto index = find_language_code(codes, wanted);
    return index ? codes[*index] : "none";
  };
  EXPECT_EQ(found("pt"), "pt");
  EXPECT_EQ(found("por_br"), "pt-BR");
  EXPECT_EQ(found("pt-PT"), "pt");
  EXPECT_EQ(found("fr"), "fra");
  EXPECT_EQ(found("zh"), "none");  // two scripts
  EXPECT_EQ(found("zh_Hant"), "zh_Hant");
  EXPECT_EQ(found("it"), "none");
  EXPECT_EQ(find_language_code(std::vector<std::string>{"de", "zh_Hans", "zh_Hans"}, "zh"), 1U);
  EXPECT_EQ(find_language_code({}, "de"), std::nullopt);
}

}  // namespace
}  // namespace translate

#include "languages/language_names.h"

#include <gtest/gtest.h>

#include <utility>

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
  EXPECT_EQ(language_name("zt"), "Chinese (Hant)");
  EXPECT_EQ(language_name("pb"), "Portuguese (BR)");
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

TEST(LanguageNames, TheSidesThatAConfigurationNames) {
  const auto sides = [](const DataOptions& data) {
    const auto [source, target] = named_sides(data);
    return std::pair(source, target);
  };
  DataOptions data;
  data.train = {{.source = "train.de", .target = "train.en"}};
  EXPECT_EQ(sides(data), std::pair(false, false)) << "names of files name none";
  data.source_language = "de";
  EXPECT_EQ(sides(data), std::pair(true, false));
  data.train.push_back({.source = "a", .target = "b", .target_language = "fr"});
  EXPECT_EQ(sides(data), std::pair(true, true));
}

}  // namespace
}  // namespace translate

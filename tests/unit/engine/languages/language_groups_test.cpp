#include "languages/language_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LanguageGroups, HoldTheSentencesOfTheSameLanguages) {
  DataOptions data;
  data.source_language = "en";
  const std::vector<CorpusFiles> files = {{.source = "a", .target = "b", .target_language = "fr"},
                                          {.source = "c", .target = "d", .target_language = "de"},
                                          {.source = "e", .target = "f", .target_language = "fr"},
                                          {.source = "g", .target = "h", .target_language = "it"}};
  const std::vector<PairOrigin> origin = {{0, 1}, {0, 2}, {1, 1}, {2, 1}};
  const auto groups = group_by_languages(data, files, origin);
  ASSERT_EQ(groups.size(), 2U) << "no sentence is Italian";
  EXPECT_EQ(groups[0].name(), "en-fr");
  EXPECT_THAT(groups[0].sentences, ElementsAre(0, 1, 3));
  EXPECT_EQ(groups[1].name(), "en-de");
  EXPECT_THAT(groups[1].sentences, ElementsAre(2));
  EXPECT_THAT(group_by_languages(data, files, std::span(origin).first(2)), IsEmpty()) << "one direction only";
}

TEST(LanguageGroups, AreNotGuessedFromTheNamesOfFiles) {
  const std::vector<CorpusFiles> files = {{.source = "a.en", .target = "a.fr"}, {.source = "b.en", .target = "b.de"}};
  const std::vector<PairOrigin> origin = {{0, 1}, {1, 1}};
  EXPECT_THAT(group_by_languages(DataOptions(), files, origin), IsEmpty());
}

}  // namespace
}  // namespace translate

#include "pairs/formats/side_names.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace translate {
namespace {

std::optional<std::pair<std::size_t, std::size_t>> sides(const std::vector<std::string>& names,
                                                         const LanguageCodes& wanted = {}) {
  const auto found = sides_by_names(names, wanted);
  return found ? std::optional(std::pair(found->source, found->target)) : std::nullopt;
}

using Sides = std::pair<std::size_t, std::size_t>;

TEST(SideNames, LanguagesAreNamedByCodesAndInEnglish) {
  EXPECT_EQ(named_language("de"), "de");
  EXPECT_EQ(named_language("pt-BR"), "pt-BR");
  EXPECT_EQ(named_language("German"), "de");
  EXPECT_EQ(named_language("comment"), std::nullopt);
  EXPECT_EQ(named_language("12"), std::nullopt);
}

TEST(SideNames, SidesAreFoundAmongOtherNames) {
  EXPECT_EQ(sides({"score", "tgt", "src"}), (Sides{2, 1}));
  EXPECT_EQ(sides({"en", "comment", "de"}), (Sides{0, 2}));
  EXPECT_EQ(sides({"id", "English", "French"}), (Sides{1, 2}));
  EXPECT_EQ(sides({"id", "en"}), (Sides{0, 1}));
  EXPECT_EQ(sides({"a", "b"}), std::nullopt);
}

TEST(SideNames, WhatIsWantedChooses) {
  EXPECT_EQ(sides({"en", "de", "fr"}, {.source = "fr", .target = ""}), (Sides{2, 0}));
  EXPECT_EQ(sides({"en", "de", "fr"}, {.source = "", .target = "en"}), (Sides{1, 0}));
  EXPECT_EQ(sides({"en-GB", "de"}, {.source = "de", .target = "en"}), (Sides{1, 0}));
  EXPECT_EQ(sides({"en", "de"}, {.source = "it", .target = "en"}), std::nullopt);
}

}  // namespace
}  // namespace translate

#include "segments/stand_ins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "segments/symbol_ids.h"
#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(StandIns, AreNumbersWithoutSymbols) {
  const auto& tokenizer = testing::small_vocabulary();
  EXPECT_FALSE(symbol_ids(tokenizer, placeholder_symbols()));
  const StandIns stand_ins(tokenizer, tokenizer);
  EXPECT_THAT(stand_ins.choose(2, "7 cats"), ElementsAre("3", "9"));
  EXPECT_THAT(stand_ins.absent_symbols("The cat"), IsEmpty());
}

TEST(StandIns, AreSymbolsIfBothVocabulariesHaveThem) {
  const auto& symbols = testing::vocabulary_with_symbols();
  ASSERT_TRUE(symbol_ids(symbols, placeholder_symbols()));
  const StandIns stand_ins(symbols, symbols);
  EXPECT_THAT(stand_ins.choose(2, "7 cats"), ElementsAre("{0}", "{1}"));
  EXPECT_THAT(StandIns(symbols, testing::small_vocabulary()).choose(1, "cats"), ElementsAre("7"));
  EXPECT_THAT(StandIns(testing::small_vocabulary(), symbols).choose(1, "cats"), ElementsAre("7"));
}

TEST(StandIns, AreNumbersForMoreNamesThanThereAreSymbols) {
  const auto& symbols = testing::vocabulary_with_symbols();
  const auto chosen = StandIns(symbols, symbols).choose(placeholder_symbols().size() + 1, "cats");
  EXPECT_THAT(chosen, SizeIs(placeholder_symbols().size() + 1));
  EXPECT_EQ(chosen.front(), "7");
  EXPECT_EQ(std::set(chosen.begin(), chosen.end()).size(), chosen.size());
}

TEST(StandIns, SymbolsThatAreNotReadAreAbsent) {
  const auto& symbols = testing::vocabulary_with_symbols();
  const auto absent = StandIns(symbols, symbols).absent_symbols("The {1} cat {0}.");
  EXPECT_THAT(absent, SizeIs(placeholder_symbols().size() - 2));
  for (const auto id : absent) {
    EXPECT_NE(symbols.subword(id), "{0}");
    EXPECT_NE(symbols.subword(id), "{1}");
    EXPECT_TRUE(std::ranges::count(placeholder_symbols(), symbols.subword(id)) == 1);
  }
}

TEST(StandIns, AreFoundAsAWhole) {
  EXPECT_EQ(find_stand_in("12 of 2", "2"), 6U);
  EXPECT_EQ(find_stand_in("1.5", "5"), std::string::npos);
  EXPECT_EQ(find_stand_in("5{0}5", "{0}"), 1U);
  EXPECT_EQ(find_stand_in("{0} {0}", "{0}", 1), 4U);
  EXPECT_EQ(find_stand_in("{1}", "{0}"), std::string::npos);
}

}  // namespace
}  // namespace translate

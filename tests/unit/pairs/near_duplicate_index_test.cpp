#include "pairs/near_duplicate_index.h"

#include <gtest/gtest.h>

#include <string>

namespace translate {
namespace {

class NearDuplicateIndexTest : public ::testing::Test {
 protected:
  NearDuplicateIndexTest() {
    index_.add("The cat sat on the mat.", 1);
    index_.add("Good morning", 2);
    index_.add("\u732B\u304C\u597D\u304D\u3002", 3);
  }

  NearDuplicateIndex index_;
};

TEST_F(NearDuplicateIndexTest, CasePunctuationAndNumbersDoNotCount) {
  EXPECT_EQ(index_.find("the CAT sat, on the mat!"), 1);
  EXPECT_EQ(index_.find("good morning 12"), 2);
  EXPECT_EQ(index_.find("\u732B\u304C\u597D\u304D\u3002"), 3);
  EXPECT_EQ(index_.find("\u72AC\u304C\u597D\u304D\u3002"), std::nullopt);
}

TEST_F(NearDuplicateIndexTest, OneWordMayDiffer) {
  EXPECT_EQ(index_.find("The dog sat on the mat."), 1);
  EXPECT_EQ(index_.find("Big cat sat on the mat"), 1);
  EXPECT_EQ(index_.find("The cat sat on the rug"), 1);
  EXPECT_EQ(index_.find("The cat sat on mat"), 1);
  EXPECT_EQ(index_.find("cat sat on the mat"), 1);
  EXPECT_EQ(index_.find("The black cat sat on the mat"), 1);
  EXPECT_EQ(index_.find("The cat sat on the mat today"), 1);
}

TEST_F(NearDuplicateIndexTest, TwoWordsMayNot) {
  EXPECT_EQ(index_.find("The dog sat on the rug"), std::nullopt);
  EXPECT_EQ(index_.find("The sat cat on the mat"), std::nullopt);
  EXPECT_EQ(index_.find("The cat sat mat"), std::nullopt);
  EXPECT_EQ(index_.find("sat on the mat a"), std::nullopt);
}

TEST_F(NearDuplicateIndexTest, OfShortTextsAllWordsCount) {
  EXPECT_EQ(index_.find("Good evening"), std::nullopt);
  EXPECT_EQ(index_.find("Good"), std::nullopt);
  EXPECT_EQ(index_.find("Good morning you"), std::nullopt);
}

}  // namespace
}  // namespace translate

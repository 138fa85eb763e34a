#include <gtest/gtest.h>

#include <random>

#include "metrics/words.h"

namespace translate {
namespace {

using Runs = std::vector<WordRun>;

TEST(WordDiff, NamesWhatIsMissingAndWhatIsAddedInItsPlace) {
  EXPECT_EQ(word_diff("the black cat sat down", "the grey cat  sat"), (Runs{{WordChange::kSame, "the"},
                                                                            {WordChange::kMissing, "black"},
                                                                            {WordChange::kAdded, "grey"},
                                                                            {WordChange::kSame, "cat sat"},
                                                                            {WordChange::kMissing, "down"}}));
}

TEST(WordDiff, OfEmptyLines) {
  EXPECT_EQ(word_diff("", " "), Runs{});
  EXPECT_EQ(word_diff("a b", ""), (Runs{{WordChange::kMissing, "a b"}}));
  EXPECT_EQ(word_diff("", "a b"), (Runs{{WordChange::kAdded, "a b"}}));
}

/// The words of the runs that are not `left_out`.
std::string without(WordChange left_out, const Runs& runs) {
  std::string text;
  for (const WordRun& run : runs) {
    if (run.change != left_out) {
      text += (text.empty() ? "" : " ") + run.words;
    }
  }
  return text;
}

TEST(WordDiff, HoldsBothLinesWholeAndInOrder) {
  std::mt19937 random(3);
  const auto line = [&random] {
    std::string words;
    for (std::size_t left = random() % 12; left > 0; --left) {
      words += (words.empty() ? "" : " ") + std::string(1, static_cast<char>('a' + random() % 4));
    }
    return words;
  };
  for (int round = 0; round < 500; ++round) {
    const std::string reference = line();
    const std::string hypothesis = line();
    const Runs runs = word_diff(reference, hypothesis);
    EXPECT_EQ(without(WordChange::kAdded, runs), reference);
    EXPECT_EQ(without(WordChange::kMissing, runs), hypothesis);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      EXPECT_NE(runs[i].change, runs[i - 1].change);
    }
  }
}

TEST(WordDiff, OfVeryLongLinesIsAllOfBoth) {
  std::string line;
  for (int i = 0; i < 5000; ++i) {
    line += "a ";
  }
  const auto runs = word_diff(line, line + "b");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].words + " ", line);
  EXPECT_EQ(runs[1].words, line + "b");
}

}  // namespace
}  // namespace translate

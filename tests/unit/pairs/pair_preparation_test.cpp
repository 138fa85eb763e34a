#include "pairs/pair_preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "corpora/corpus_reader.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/pairs/word_pairs.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

class PairPreparationTest : public TemporaryFolderTest {
 protected:
  PreparationCounts prepare(const std::vector<SentencePair>& pairs) const {
    return prepare_pairs(translate::testing::opener_of_list(pairs), folder_, kOptions);
  }

  static inline const PreparationOptions kOptions = {.languages = {.source = "de", .target = "en"}, .seed = 1};

  std::vector<std::string> lines(const std::string& name) const { return read_lines(folder_ / name); }

  static std::string word(std::size_t number) {
    std::string letters;
    do {
      letters += static_cast<char>('a' + number % 26);
      number /= 26;
    } while (number > 0);
    return letters;
  }

  /// Pairs of words that no other pair has.
  static std::vector<SentencePair> distinct(std::size_t count) {
    std::vector<SentencePair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
      pairs.push_back({"der x" + word(i) + " sieht y" + word(i), "the x" + word(i) + " sees y" + word(i)});
    }
    return pairs;
  }
};

TEST_F(PairPreparationTest, EachPairIsInOneSetOrLeftOut) {
  auto pairs = distinct(3000);
  pairs.push_back({" \tzwei  ", "two\twords "});
  pairs.push_back({"", "nothing"});
  pairs.push_back(pairs[7]);
  const auto counts = prepare(pairs);
  EXPECT_EQ(counts.cleaning.read, 3003U);
  EXPECT_EQ(counts.cleaning.dropped[static_cast<std::size_t>(DropReason::kBlank)], 1U);
  EXPECT_EQ(counts.cleaning.dropped[static_cast<std::size_t>(DropReason::kRepeated)], 1U);
  EXPECT_EQ(counts.held_out, 200U);
  EXPECT_EQ(counts.training + counts.held_out + counts.near_duplicates, 3001U);
  std::vector<SentencePair> found;
  for (const std::string set : {"train", "validation", "test"}) {
    const auto [sources, targets] = std::pair(lines(set + ".de"), lines(set + ".en"));
    ASSERT_EQ(sources.size(), targets.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      found.push_back({sources[i], targets[i]});
    }
  }
  EXPECT_EQ(found.size(), counts.training + counts.held_out);
  EXPECT_TRUE(std::ranges::find(found, SentencePair{"zwei", "two words"}) != found.end());
  const auto left_out = lines("left-out.tsv");
  ASSERT_EQ(left_out.size(), 3U);
  EXPECT_THAT(left_out[1], HasSubstr("\tlist:3002\t\tnothing"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "clean.de"));
}

TEST_F(PairPreparationTest, TellsNothingAboutWhatIsHeldOutOfAnotherText) {
  static_cast<void>(prepare(distinct(600)));
  const auto test = lines("test.de");
  ASSERT_FALSE(test.empty());

  const auto folder = folder_ / "other";
  std::filesystem::create_directory(folder);
  auto options = kOptions;
  options.holds_out = false;
  options.other_text = folder_;
  const auto counts = prepare_pairs(translate::testing::opener_of_list(distinct(900)), folder, options);
  EXPECT_EQ(counts.near_duplicates, lines("test.de").size() + lines("validation.de").size());
  EXPECT_EQ(counts.training, 900U - counts.near_duplicates);
  const auto training = lines("other/train.de");
  for (const auto& source : test) {
    EXPECT_EQ(std::ranges::count(training, source), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "test.de"));
}

TEST_F(PairPreparationTest, TooFewPairsAreRefusedWithTheReasons) {
  auto pairs = distinct(kFewestPairs - 1);
  pairs.push_back({"a", "a"});
  const auto error = testing::error_of<DataError>([&] { (void)prepare(pairs); });
  EXPECT_THAT(error, HasSubstr("99 of 100 pairs"));
  EXPECT_THAT(error, HasSubstr("both sides are the same"));
}

}  // namespace
}  // namespace translate

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "corpora/corpus_reader.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

class SelectedPairsFiles : public TemporaryFolderTest {
 protected:
  [[nodiscard]] CorpusFiles files(const std::string& name, const std::string& source, const std::string& target) const {
    write_text(folder_ / (name + ".en"), source);
    write_text(folder_ / (name + ".fr"), target);
    return {folder_ / (name + ".en"), folder_ / (name + ".fr")};
  }
  /// `size` pairs "s<i>", "t<i>".
  [[nodiscard]] std::vector<CorpusFiles> numbered(int size) const {
    std::string source;
    std::string target;
    for (int i = 0; i < size; ++i) {
      source += "s" + std::to_string(i) + "\n";
      target += "t" + std::to_string(i) + "\n";
    }
    return {files("numbered", source, target)};
  }
};

ParallelCorpus select(const std::vector<CorpusFiles>& files, Selection selection, const HeldOutShare& share = {}) {
  SelectedPairs pairs(files, selection, share);
  return read_pairs(pairs);
}

TEST_F(SelectedPairsFiles, PassOverBlankPairsAndCountThem) {
  const std::vector<CorpusFiles> parts{files("a", "one\n\n three\n\u3000\nfive\n", "un\ndeux\n\t\nquatre\ncinq\n"),
                                       files("b", "six\n", "six\n")};
  SelectedPairs pairs(parts, Selection::kTraining);
  const ParallelCorpus corpus = read_pairs(pairs);
  EXPECT_THAT(corpus.source, ElementsAre("one", "five", "six"));
  EXPECT_THAT(corpus.target, ElementsAre("un", "cinq", "six"));
  EXPECT_THAT(corpus.origin, ElementsAre(PairOrigin{0, 1}, PairOrigin{0, 5}, PairOrigin{1, 1}));
  EXPECT_EQ(pairs.blank().count, 3U);
  EXPECT_EQ(pairs.blank().first.line, 2U);
  EXPECT_EQ(select(parts, Selection::kAll).size(), 6U);
}

TEST_F(SelectedPairsFiles, GoEachToOneSideInOrder) {
  const auto files = numbered(1000);
  const HeldOutShare share{.pairs = 1000, .fraction = 0.1, .seed = 7};
  const ParallelCorpus training = select(files, Selection::kTraining, share);
  const ParallelCorpus held_out = select(files, Selection::kHeldOut, share);
  EXPECT_EQ(training.size(), 900U);
  EXPECT_EQ(held_out.size(), 100U);
  std::vector<bool> seen(1000, false);
  for (const ParallelCorpus* part : {&training, &held_out}) {
    EXPECT_TRUE(std::is_sorted(part->origin.begin(), part->origin.end(),
                               [](const PairOrigin& a, const PairOrigin& b) { return a.line < b.line; }));
    for (std::size_t i = 0; i < part->size(); ++i) {
      EXPECT_EQ(part->source[i].substr(1), part->target[i].substr(1));
      EXPECT_EQ(part->source[i].substr(1), std::to_string(part->origin[i].line - 1));
      seen[part->origin[i].line - 1] = true;
    }
  }
  EXPECT_THAT(seen, ::testing::Each(true));
}

TEST_F(SelectedPairsFiles, AreHeldOutAmongThoseThatAreNotBlank) {
  const std::vector<CorpusFiles> gaps{files("gaps", "s0\n\ns1\n\n\ns2\n", "t0\n\nt1\n\n\nt2\n")};
  const HeldOutShare share{.pairs = 3, .fraction = 0.4, .seed = 5};
  EXPECT_EQ(select(gaps, Selection::kHeldOut, share).source, select(numbered(3), Selection::kHeldOut, share).source);
}

TEST_F(SelectedPairsFiles, DependOnTheSeedAlone) {
  const auto files = numbered(200);
  const auto held_out = [&](std::uint64_t seed) {
    return select(files, Selection::kHeldOut, {.pairs = 200, .fraction = 0.2, .seed = seed}).source;
  };
  EXPECT_EQ(held_out(1), held_out(1));
  EXPECT_NE(held_out(1), held_out(2));
  EXPECT_THAT(select(numbered(10), Selection::kHeldOut, {.pairs = 10, .fraction = 0.3, .seed = 1}).source,
              ElementsAre("s1", "s4", "s9"));  // on every platform
}

TEST(HeldOut, LeavesAtLeastOnePairOnEachSide) {
  for (const double fraction : {1e-9, 0.999999}) {
    const auto held_out = draw_held_out({.pairs = 3, .fraction = fraction, .seed = 1});
    EXPECT_EQ(held_out.size(), 3U);
    EXPECT_EQ(std::count(held_out.begin(), held_out.end(), true), fraction < 0.5 ? 1 : 2);
  }
  EXPECT_THROW((void)draw_held_out({.pairs = 1, .fraction = 0.5, .seed = 1}), DataError);
  EXPECT_THROW(check_held_out({.pairs = std::uint64_t{1} << 32U, .fraction = 0.5, .seed = 1}), DataError);
  EXPECT_TRUE(draw_held_out({.pairs = 1, .fraction = 0.0, .seed = 1}).empty());
}

}  // namespace
}  // namespace translate

#include "metrics/chrf.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/metrics/golden.h"

namespace translate {
namespace {

using testing::kTolerance;
using Lines = std::vector<std::string>;

double corpus_chrf(const Lines& hypotheses, const Lines& references) {
  return testing::corpus_score(Chrf(), hypotheses, references);
}

TEST(CorpusChrf, EqualsSacrebleuOnAllGoldenSystemsAndParts) {
  const std::vector<testing::GoldenPart> parts = testing::golden_parts();
  ASSERT_GT(parts.size(), 200U);
  for (const testing::GoldenPart& part : parts) {
    EXPECT_NEAR(corpus_chrf(part.hypotheses, part.references), part.scores.at("chrf").at("score").get<double>(),
                kTolerance)
        << part.name;
    EXPECT_EQ(signature(Chrf(), 1), part.scores.at("chrf").at("signature").get<std::string>());
  }
}

TEST(PairwiseChrf, EqualsScoringEachPair) {
  const Lines texts = {"Le chat dort.", "Un chat dort !", "", "Ça va ?", "le chat, le chat", " "};
  for (const ChrfOptions options : {ChrfOptions{}, ChrfOptions{.word_order = 2, .lowercase = true}}) {
    const Chrf chrf(options);
    const auto scores = chrf.pairwise_scores(texts);
    ASSERT_EQ(scores.size(), texts.size() * texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < texts.size(); ++j) {
        EXPECT_EQ(scores[i * texts.size() + j], chrf.sentence_score(chrf.count(texts[i], {&texts[j], 1})));
      }
    }
  }
  EXPECT_TRUE(Chrf().pairwise_scores({}).empty());
}

TEST(CorpusChrf, OfReferencesAgainstThemselvesIsAHundred) {
  EXPECT_NEAR(corpus_chrf(Lines{"Ça va\u00A0?", "a"}, Lines{"Ça va\u00A0?", "a"}), 100.0, kTolerance);
}

TEST(CorpusChrf, IsZeroWhereNothingMatches) {
  EXPECT_EQ(corpus_chrf(Lines{"abc"}, Lines{"xyz"}), 0.0);
  EXPECT_EQ(corpus_chrf(Lines{""}, Lines{"xyz"}), 0.0);
  EXPECT_EQ(corpus_chrf(Lines{"abc"}, Lines{""}), 0.0);
  EXPECT_EQ(corpus_chrf(Lines{""}, Lines{" "}), 0.0);
}

TEST(CorpusChrf, WhiteSpaceDoesNotCountButCaseDoes) {
  const Lines reference{"Le chat dort\u00A0!"};
  EXPECT_NEAR(corpus_chrf(Lines{"Lechat\u202Fdort! "}, reference), 100.0, kTolerance);
  EXPECT_LT(corpus_chrf(Lines{"le chat dort !"}, reference), 100.0);
}

TEST(CorpusChrf, CountsCodePointsNotBytes) {
  // Two code points each, the second one shared: unigrams 1 of 2, bigrams 0 of 1, so precision = recall = 1/4.
  EXPECT_NEAR(corpus_chrf(Lines{"白鹭"}, Lines{"灰鹭"}), 25.0, kTolerance);
}

TEST(CorpusChrf, RecallWeighsMoreThanPrecision) {
  const Lines half{"abcdefgh"};
  const Lines whole{"abcdefghijklmnop"};
  EXPECT_GT(corpus_chrf(whole, half), corpus_chrf(half, whole));
}

}  // namespace
}  // namespace translate

#include "metrics/bleu.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/metrics/golden.h"

namespace translate {
namespace {

using testing::kTolerance;
using Lines = std::vector<std::string>;

TEST(CorpusBleu, EqualsSacrebleuOnAllGoldenSystemsAndParts) {
  const std::vector<testing::GoldenPart> parts = testing::golden_parts();
  ASSERT_GT(parts.size(), 200U);
  for (const testing::GoldenPart& part : parts) {
    const nlohmann::json& expected = part.scores.at("bleu");
    const BleuScore bleu = corpus_bleu(part.hypotheses, part.references);
    EXPECT_NEAR(bleu.score, expected.at("score").get<double>(), kTolerance) << part.name;
    for (std::size_t n = 0; n < 4; ++n) {
      EXPECT_NEAR(bleu.precisions[n], expected.at("precisions").at(n).get<double>(), kTolerance) << part.name;
    }
    EXPECT_NEAR(bleu.brevity_penalty, expected.at("brevity_penalty").get<double>(), kTolerance) << part.name;
    EXPECT_EQ(bleu.hypothesis_length, expected.at("hypothesis_length").get<std::int64_t>()) << part.name;
    EXPECT_EQ(bleu.reference_length, expected.at("reference_length").get<std::int64_t>()) << part.name;
    EXPECT_EQ(bleu.signature, expected.at("signature").get<std::string>());
  }
}

TEST(PairwiseBleu, EqualsScoringEachPair) {
  const Lines texts = {"Le chat dort sur le lit.", "Un chat dort sur le lit !", "", "Ça va ?", "le chat, le chat", " "};
  for (const BleuOptions options : {BleuOptions{}, BleuOptions{.lowercase = true}}) {
    const Bleu bleu(options);
    const auto scores = bleu.pairwise_scores(texts);
    ASSERT_EQ(scores.size(), texts.size() * texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = 0; j < texts.size(); ++j) {
        EXPECT_EQ(scores[i * texts.size() + j], bleu.sentence_score(bleu.count(texts[i], {&texts[j], 1})));
      }
    }
  }
  EXPECT_TRUE(Bleu().pairwise_scores({}).empty());
}

TEST(CorpusBleu, OfReferencesAgainstThemselvesIsAHundred) {
  const Lines lines{"The heron waits by the pond.", "Le héron attend près de l'étang."};
  EXPECT_NEAR(corpus_bleu(lines, lines).score, 100.0, kTolerance);
}

TEST(CorpusBleu, KindAndAmountOfWhiteSpaceDoNotCount) {
  const Lines spaces{"Où est le chat ? Il dort ."};
  const Lines no_break_spaces{" Où  est\tle chat\u00A0?\u202FIl dort .\u3000"};
  EXPECT_NEAR(corpus_bleu(no_break_spaces, spaces).score, 100.0, kTolerance);
}

TEST(CorpusBleu, KeepsCase) {
  EXPECT_LT(corpus_bleu(Lines{"the grey goose swims away"}, Lines{"The Grey Goose swims away"}).score, 100.0);
}

TEST(CorpusBleu, SmoothsEachOrderWithoutAMatchByHalfAsMuchAsTheLast) {
  // 5 tokens, 4 of them matched, and no longer match: 4/5, (1/2)/4, (1/4)/3, (1/8)/2.
  const BleuScore bleu = corpus_bleu(Lines{"d c x b a"}, Lines{"a b c d y"});
  EXPECT_NEAR(bleu.precisions[0], 80.0, kTolerance);
  EXPECT_NEAR(bleu.precisions[1], 100.0 / (2 * 4), kTolerance);
  EXPECT_NEAR(bleu.precisions[2], 100.0 / (4 * 3), kTolerance);
  EXPECT_NEAR(bleu.precisions[3], 100.0 / (8 * 2), kTolerance);
}

TEST(CorpusBleu, IsZeroWithoutAMatchOrWithoutA4Gram) {
  EXPECT_EQ(corpus_bleu(Lines{"one two three four"}, Lines{"un deux trois quatre"}).score, 0.0);
  EXPECT_EQ(corpus_bleu(Lines{"one two three"}, Lines{"one two three"}).score, 0.0);
  EXPECT_EQ(corpus_bleu(Lines{""}, Lines{"one two three four"}).score, 0.0);
  EXPECT_EQ(corpus_bleu(Lines{""}, Lines{""}).score, 0.0);
}

TEST(CorpusBleu, LengthRatioIsTokensOfHypothesesForEachOfTheReferences) {
  EXPECT_NEAR(corpus_bleu(Lines{"a b c", ""}, Lines{"a b", "c d"}).length_ratio(), 0.75, kTolerance);
  EXPECT_NEAR(corpus_bleu(Lines{"a b c d e f"}, Lines{"a b c d"}).length_ratio(), 1.5, kTolerance);
  EXPECT_EQ(corpus_bleu(Lines{"a"}, Lines{""}).length_ratio(), 0.0);
}

TEST(CorpusBleu, CountsOverTheCorpusNotLineByLine) {
  const Lines hypotheses{"a b c d e", "x"};
  const Lines references{"a b c d e", "y"};
  const BleuScore bleu = corpus_bleu(hypotheses, references);
  EXPECT_NEAR(bleu.precisions[0], 100.0 * 5 / 6, kTolerance);
  EXPECT_NEAR(bleu.precisions[3], 100.0, kTolerance);
}

}  // namespace
}  // namespace translate

#include "metrics/ter.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

TEST(Ter, CaseAndTheKindOfWhiteSpaceDoNotCount) {
  EXPECT_EQ(testing::corpus_score(Ter(), Lines{"LE  CHAT\u00A0DORT ÉTÉ "}, Lines{"le chat dort été"}), 0.0);
}

TEST(Ter, TakesTheFewestEditsOverTheMeanLength) {
  EXPECT_EQ(Ter().count("a b c", Lines{"a b d e f", "a b"}), (std::vector<double>{1.0, 3.5}));
}

TEST(Ter, OfEmptyReferencesIsZeroOrAHundred) {
  EXPECT_EQ(testing::corpus_score(Ter(), Lines{"", ""}, Lines{"", ""}), 0.0);
  EXPECT_EQ(testing::corpus_score(Ter(), Lines{"a b c", ""}, Lines{"", ""}), 100.0);
}

TEST(Ter, MayExceedAHundred) { EXPECT_NEAR(testing::corpus_score(Ter(), Lines{"a b c d"}, Lines{"x"}), 400.0, 1e-9); }

TEST(Ter, OfLinesThatAreTooLongIsAnErrorWithTheirLength) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) {
    text += "la ";
  }
  const Lines hypotheses{"le chat", text};
  const std::vector<Lines> references{{"le chat", "le chat est un chat noir qui dort"}};
  try {
    const SentenceCounts counts(Ter(), "TER", hypotheses, references);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()),
              "TER: line 2: a hypothesis of 500000 words and a reference of 8 are too long to be compared: shorten "
              "them, or choose other metrics, such as --metrics bleu,chrf");
  }
}

}  // namespace
}  // namespace translate

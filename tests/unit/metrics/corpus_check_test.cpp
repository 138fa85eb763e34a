#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "metrics/bleu.h"
#include "metrics/corpus_metric.h"
#include "support/error_of.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

std::string error_text(const std::function<void()>& action) { return testing::error_of<DataError>(action); }

void check(const Lines& hypotheses, const std::vector<Lines>& references) {
  (void)SentenceCounts(Bleu(), "BLEU", hypotheses, references);
}

TEST(CheckCorpus, RefusesUnequalCountsAndNamesBoth) {
  EXPECT_EQ(error_text([] {
              check({"a", "b"}, {{"a", "b", "c"}});
            }),
            "BLEU needs one hypothesis for each reference, but there are 2 hypotheses and 3 references: "
            "give files with the same number of lines");
  EXPECT_EQ(error_text([] {
              check({"a", "b"}, {{"a", "b"}, {"c"}});
            }),
            "BLEU needs one hypothesis for each reference, but there are 2 hypotheses and 1 references in list 2: "
            "give files with the same number of lines");
}

TEST(CheckCorpus, RefusesAnEmptyCorpusAndNoReferences) {
  EXPECT_EQ(error_text([] { check({}, {{}}); }),
            "BLEU needs at least one hypothesis and its reference, but there are none: is the file empty?");
  EXPECT_EQ(error_text([] { check({"a"}, {}); }), "BLEU needs references, but no list of them was given");
}

TEST(SacrebleuVersion, IsTheOneTheGoldenFilesWereMadeWith) {
  EXPECT_EQ(kSacrebleuVersion, testing::metric_golden().at("sacrebleu_version").get<std::string>());
}

}  // namespace
}  // namespace translate

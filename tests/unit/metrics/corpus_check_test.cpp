#include "translate/metrics/corpus_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "golden.h"
#include "translate/core/error.h"
#include "translate/metrics/bleu.h"
#include "translate/metrics/chrf.h"
#include "translate/metrics/error_rate.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

/// Each metric by its name.
std::vector<std::pair<std::string, std::function<void(const Lines&, const Lines&)>>> all_metrics() {
  return {{"BLEU", [](const Lines& h, const Lines& r) { (void)corpus_bleu(h, r); }},
          {"chrF", [](const Lines& h, const Lines& r) { (void)corpus_chrf(h, r); }},
          {"CER", [](const Lines& h, const Lines& r) { (void)corpus_cer(h, r); }},
          {"WER", [](const Lines& h, const Lines& r) { (void)corpus_wer(h, r); }}};
}

TEST(CheckCorpus, EveryMetricRefusesUnequalCountsAndNamesBoth) {
  for (const auto& [name, metric] : all_metrics()) {
    const std::string text = error_text([&metric = metric] { metric({"a", "b"}, {"a", "b", "c"}); });
    EXPECT_EQ(text, name +
                        " needs one hypothesis for each reference, but there are 2 hypotheses and 3 references: "
                        "give files with the same number of lines");
  }
}

TEST(CheckCorpus, EveryMetricRefusesAnEmptyCorpus) {
  for (const auto& [name, metric] : all_metrics()) {
    const std::string text = error_text([&metric = metric] { metric({}, {}); });
    EXPECT_EQ(text, name + " needs at least one hypothesis and its reference, but there are none: is the file empty?");
  }
}

TEST(SacrebleuVersion, IsTheOneTheGoldenFilesWereMadeWith) {
  EXPECT_EQ(kSacrebleuVersion, testing::metric_golden().at("sacrebleu_version").get<std::string>());
}

}  // namespace
}  // namespace translate

// Every metric in every setting against sacreBLEU: corpora with one reference and several, and each of their sentences.
#include "metrics/corpus_metric.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "config/enum_names.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/error_rate.h"
#include "metrics/ter.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using testing::kTolerance;
using Lines = std::vector<std::string>;

/// The metric that a setting of the golden file names: "bleu intl lc", "chrf 2 mixed", "ter".
std::unique_ptr<CorpusMetric> metric_of(const std::string& setting) {
  std::istringstream words(setting);
  std::string kind;
  std::string how;
  std::string letters;
  words >> kind >> how >> letters;
  const bool lowercase = letters == "lc";
  if (kind == "ter") {
    return std::make_unique<Ter>();
  }
  if (kind == "chrf") {
    return std::make_unique<Chrf>(ChrfOptions{.word_order = how == "2" ? 2U : 0U, .lowercase = lowercase});
  }
  return std::make_unique<Bleu>(
      BleuOptions{.tokenization = from_string<BleuTokenization>(how).value(), .lowercase = lowercase});
}

TEST(CorpusMetrics, EqualSacrebleuInEverySettingOnEveryCorpusAndSentence) {
  std::size_t settings = 0;
  for (const nlohmann::json& corpus : testing::metric_variants().at("corpora")) {
    const auto hypotheses = corpus.at("hypotheses").get<Lines>();
    const auto references = corpus.at("references").get<std::vector<Lines>>();
    for (const auto& [setting, expected] : corpus.at("scores").items()) {
      SCOPED_TRACE(corpus.at("name").get<std::string>() + ": " + setting);
      const auto metric = metric_of(setting);
      const SentenceCounts counts(*metric, "metric", hypotheses, references);
      EXPECT_NEAR(metric->score(counts.sums()), expected.at("score").get<double>(), kTolerance);
      EXPECT_EQ(signature(*metric, references.size()), expected.at("signature").get<std::string>());
      ASSERT_EQ(counts.sentences(), expected.at("sentences").size());
      for (std::size_t i = 0; i < counts.sentences(); ++i) {
        EXPECT_NEAR(metric->sentence_score(counts.row(i)), expected.at("sentences").at(i).get<double>(), kTolerance)
            << "sentence " << i << ": " << hypotheses[i];
      }
      ++settings;
    }
  }
  EXPECT_EQ(settings, 8U * 15U);
}

TEST(SentenceCounts, OfAChoiceAreThoseOfACorpusOfThisChoice) {
  const Lines hypotheses{"the cat sat", "a dog", "", "nothing at all here"};
  const std::vector<Lines> references{{"the cat sat down", "a dog", "empty", "nothing"}, {"cats", "dogs", "", "here"}};
  const std::vector<std::size_t> chosen{3, 0, 3, 2};
  const auto take = [&chosen](const Lines& lines) {
    Lines taken;
    for (const std::size_t i : chosen) {
      taken.push_back(lines[i]);
    }
    return taken;
  };
  const std::vector<Lines> taken{take(references[0]), take(references[1])};
  const Chrf chrf({.word_order = 2});
  const Ter ter;
  const ErrorRate cer(ErrorUnit::kCharacter);
  for (const CorpusMetric* metric : {static_cast<const CorpusMetric*>(&chrf), static_cast<const CorpusMetric*>(&ter),
                                     static_cast<const CorpusMetric*>(&cer)}) {
    const SentenceCounts counts(*metric, "metric", hypotheses, references);
    EXPECT_EQ(counts.columns(), metric->size());
    EXPECT_EQ(counts.sums_of(std::span<const std::size_t>(chosen)),
              SentenceCounts(*metric, "metric", take(hypotheses), taken).sums());
  }
}

TEST(SentenceCounts, OfAnyWidthAreSummedColumnByColumn) {
  constexpr std::size_t kSentences = 3;
  const std::vector<std::size_t> chosen{2, 0, 2};
  for (std::size_t columns = 1; columns <= 20; ++columns) {
    std::vector<double> values;
    for (std::size_t i = 0; i < kSentences * columns; ++i) {
      values.push_back(static_cast<double>(i));
    }
    const SentenceCounts counts(columns, values);
    EXPECT_EQ(counts.sentences(), kSentences);
    std::vector<double> expected;
    for (std::size_t i = 0; i < columns; ++i) {
      expected.push_back(2 * values[2 * columns + i] + values[i]);
    }
    EXPECT_EQ(counts.sums_of(std::span<const std::size_t>(chosen)), expected);
  }
}

TEST(CorpusMetrics, SayWhichWayIsBetter) {
  EXPECT_TRUE(Bleu().higher_is_better());
  EXPECT_TRUE(Chrf().higher_is_better());
  EXPECT_FALSE(Ter().higher_is_better());
  EXPECT_FALSE(ErrorRate(ErrorUnit::kWord).higher_is_better());
}

}  // namespace
}  // namespace translate

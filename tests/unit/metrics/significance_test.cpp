#include "metrics/significance.h"

#include <gtest/gtest.h>

#include <memory>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

std::unique_ptr<CorpusMetric> metric_named(const std::string& name) {
  if (name == "BLEU") {
    return std::make_unique<Bleu>();
  }
  if (name == "chrF2") {
    return std::make_unique<Chrf>();
  }
  return std::make_unique<Ter>();
}

Lines system_named(const std::string& name) { return testing::metric_golden().at("hypotheses: " + name).get<Lines>(); }

const std::vector<Lines>& references() {
  static const std::vector<Lines> lists{testing::metric_golden().at("references").get<Lines>()};
  return lists;
}

/// The results of the golden file: p-values of a count of resamples, means and intervals of scores in single precision.
void expect_as_in(const nlohmann::json& expected, const PairedOptions& options) {
  const auto metric = metric_named(expected.at("metric").get<std::string>());
  const auto& systems = expected.at("systems");
  EXPECT_EQ(signature(*metric, 1, signature_part(options)), expected.at("signature").get<std::string>());
  const auto count = [&](const nlohmann::json& system) {
    return SentenceCounts(*metric, "metric", system_named(system.at("name").get<std::string>()), references());
  };
  const SentenceCounts first = count(systems.at(0));
  constexpr double kOfScores = 2e-4;
  if (options.test == PairedTest::kBootstrap) {
    const CountedSystem counted[] = {{*metric, first}};
    const ConfidenceInterval interval = bootstrap_intervals(counted, options).front();
    EXPECT_NEAR(interval.mean, systems.at(0).at("mean").get<double>(), kOfScores);
    EXPECT_NEAR(interval.half_width(), systems.at(0).at("ci").get<double>(), kOfScores);
  }
  for (std::size_t i = 1; i < systems.size(); ++i) {
    SCOPED_TRACE(systems.at(i).at("name").get<std::string>());
    const PairedResult result = compare_systems(*metric, first, count(systems.at(i)), options);
    // A resample whose difference is the one seen, but for the rounding to single precision, may count or not.
    const double of_p = options.test == PairedTest::kBootstrap ? 2.5 / 1001 : 1e-12;
    EXPECT_NEAR(result.p_value, systems.at(i).at("p").get<double>(), of_p);
    if (options.test == PairedTest::kRandomisation) {
      continue;
    }
    EXPECT_NEAR(result.score.mean, systems.at(i).at("mean").get<double>(), kOfScores);
    EXPECT_NEAR(result.score.half_width(), systems.at(i).at("ci").get<double>(), kOfScores);
  }
}

TEST(PairedTests, AreThoseOfSacrebleuDrawForDraw) {
  const nlohmann::json& all = testing::metric_variants().at("paired");
  ASSERT_EQ(all.size(), 6U);
  for (const nlohmann::json& expected : all) {
    SCOPED_TRACE(expected.at("metric").get<std::string>() + " " + expected.at("test").get<std::string>());
    const bool bootstrap = expected.at("test") == "bs";
    expect_as_in(expected, {.test = bootstrap ? PairedTest::kBootstrap : PairedTest::kRandomisation,
                            .resamples = expected.at("samples").get<std::int64_t>()});
  }
}

/// A hundred pairs of sentences of which the second system has every `period`-th one wrong.
struct Corpus {
  Lines references;
  Lines system;
  Lines other;
};

Corpus corpus_with_errors(std::size_t period) {
  Corpus corpus;
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string line = "sentence " + std::to_string(i) + " of the test is here " + std::to_string(i * i);
    corpus.references.push_back(line);
    corpus.system.push_back(i % 7 == 3 ? "wrong words" : line);
    corpus.other.push_back(i % period == 0 ? "something else" : corpus.system.back());
  }
  return corpus;
}

/// The same sentences with as many wrong in one system as in the other, but other ones.
Corpus corpus_of_equals() {
  Corpus corpus = corpus_with_errors(101);
  for (std::size_t i = 0; i < corpus.other.size(); ++i) {
    corpus.other[i] = i % 7 == 4 ? "wrong words" : corpus.references[i];
  }
  return corpus;
}

PairedResult compare(const Corpus& corpus, const PairedOptions& options, bool swapped = false) {
  const Chrf chrf;
  const std::vector<Lines> lists{corpus.references};
  const SentenceCounts system(chrf, "chrF", swapped ? corpus.other : corpus.system, lists);
  const SentenceCounts other(chrf, "chrF", swapped ? corpus.system : corpus.other, lists);
  return compare_systems(chrf, system, other, options);
}

TEST(PairedTests, TellRealDifferencesFromChance) {
  for (const PairedTest test : {PairedTest::kBootstrap, PairedTest::kRandomisation}) {
    EXPECT_LT(compare(corpus_with_errors(5), {.test = test}).p_value, 0.01);
    EXPECT_GT(compare(corpus_of_equals(), {.test = test}).p_value, 0.05);
  }
}

TEST(PairedTests, TheDifferenceTurnsItsSignWithTheSystemsAndThePValueStays) {
  for (const PairedTest test : {PairedTest::kBootstrap, PairedTest::kRandomisation}) {
    const PairedResult there = compare(corpus_with_errors(9), {.test = test});
    const PairedResult back = compare(corpus_with_errors(9), {.test = test}, /*swapped=*/true);
    EXPECT_LT(there.difference.high, 0.0);
    EXPECT_NEAR(there.difference.low, -back.difference.high, 1e-9);
    EXPECT_EQ(there.p_value, back.p_value);
  }
}

TEST(PairedTests, DrawAsTheSeedSays) {
  const Corpus corpus = corpus_with_errors(11);
  EXPECT_EQ(compare(corpus, {.seed = 1}).score.mean, compare(corpus, {.seed = 1}).score.mean);
  EXPECT_NE(compare(corpus, {.seed = 1}).score.mean, compare(corpus, {.seed = 2}).score.mean);
}

TEST(Intervals, AreTheSameForAMetricAloneAndBesideOthers) {
  const Corpus corpus = corpus_with_errors(5);
  const std::vector<Lines> lists{corpus.references};
  const Chrf chrf;
  const Ter ter;
  const SentenceCounts of_chrf(chrf, "chrF", corpus.system, lists);
  const SentenceCounts of_ter(ter, "TER", corpus.system, lists);
  const CountedSystem both[] = {{chrf, of_chrf}, {ter, of_ter}};
  const CountedSystem alone[] = {{ter, of_ter}};
  const auto intervals = bootstrap_intervals(both, {});
  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_EQ(intervals[1].low, bootstrap_intervals(alone, {}).front().low);
  EXPECT_EQ(intervals[1].high, bootstrap_intervals(alone, {}).front().high);
  EXPECT_LT(intervals[0].low, chrf.score(of_chrf.sums()));
  EXPECT_GT(intervals[0].high, chrf.score(of_chrf.sums()));
}

TEST(Intervals, OfOneSentenceAreItsScore) {
  const Chrf chrf;
  const std::vector<Lines> lists{{"the cat sat"}};
  const SentenceCounts counts(chrf, "chrF", Lines{"the cat"}, lists);
  const CountedSystem system[] = {{chrf, counts}};
  const auto interval = bootstrap_intervals(system, {}).front();
  EXPECT_EQ(interval.low, chrf.score(counts.sums()));
  EXPECT_EQ(interval.high, interval.low);
}

TEST(PairedTests, HaveSacrebleusNumbersOfResamples) {
  EXPECT_EQ(default_resamples(PairedTest::kBootstrap), 1000);
  EXPECT_EQ(default_resamples(PairedTest::kRandomisation), 10000);
}

}  // namespace
}  // namespace translate

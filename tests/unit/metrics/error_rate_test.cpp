#include "metrics/error_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using testing::kTolerance;
using Lines = std::vector<std::string>;

/// What a rate was made of.
struct Rate {
  double score;
  double edits;
  double reference_length;
};

Rate corpus_rate(ErrorUnit unit, const Lines& hypotheses, const Lines& references) {
  const ErrorRate metric(unit);
  const std::vector<double> sums = testing::corpus_sums(metric, hypotheses, references);
  return {metric.score(sums), sums.at(0), sums.at(1)};
}

Rate corpus_cer(const Lines& hypotheses, const Lines& references) {
  return corpus_rate(ErrorUnit::kCharacter, hypotheses, references);
}

Rate corpus_wer(const Lines& hypotheses, const Lines& references) {
  return corpus_rate(ErrorUnit::kWord, hypotheses, references);
}

void expect_equal(const Rate& rate, const nlohmann::json& expected, const std::string& name) {
  EXPECT_NEAR(rate.score, expected.at("score").get<double>(), kTolerance) << name;
  EXPECT_EQ(rate.edits, expected.at("edits").get<std::int64_t>()) << name;
  EXPECT_EQ(rate.reference_length, expected.at("reference_length").get<std::int64_t>()) << name;
}

TEST(CorpusErrorRate, EqualsAPlainDynamicProgramOnAllGoldenSystemsAndParts) {
  const std::vector<testing::GoldenPart> parts = testing::golden_parts();
  ASSERT_GT(parts.size(), 200U);
  for (const testing::GoldenPart& part : parts) {
    expect_equal(corpus_cer(part.hypotheses, part.references), part.scores.at("cer"), "CER, " + part.name);
    expect_equal(corpus_wer(part.hypotheses, part.references), part.scores.at("wer"), "WER, " + part.name);
  }
}

TEST(CorpusErrorRate, EditsAreTheSameBothWaysAndNoneForEqualLines) {
  for (const testing::GoldenPart& part : testing::golden_parts()) {
    EXPECT_EQ(corpus_cer(part.hypotheses, part.references).edits, corpus_cer(part.references, part.hypotheses).edits);
    EXPECT_EQ(corpus_wer(part.hypotheses, part.references).edits, corpus_wer(part.references, part.hypotheses).edits);
    EXPECT_EQ(corpus_cer(part.references, part.references).edits, 0);
  }
}

TEST(CorpusErrorRate, CountsInsertionDeletionAndSubstitutionOnce) {
  const Rate rate = corpus_cer(Lines{"xabde", "aé"}, Lines{"abcde", "ae"});
  EXPECT_EQ(rate.edits, 3);  // x inserted, c deleted; é for e
  EXPECT_EQ(rate.reference_length, 7);
  EXPECT_NEAR(rate.score, 300.0 / 7, kTolerance);
}

TEST(CorpusErrorRate, MayExceedAHundred) {
  EXPECT_NEAR(corpus_wer(Lines{"a b c"}, Lines{"d"}).score, 300.0, kTolerance);
}

TEST(CorpusErrorRate, WithEmptyReferencesIsZeroOrAHundred) {
  for (const auto& metric : {corpus_cer, corpus_wer}) {
    EXPECT_EQ(metric(Lines{"", ""}, Lines{"", ""}).score, 0.0);
    const Rate rate = metric(Lines{"", "a"}, Lines{"", ""});
    EXPECT_EQ(rate.score, 100.0);
    EXPECT_EQ(rate.edits, 1);
    EXPECT_EQ(rate.reference_length, 0);
  }
}

TEST(CorpusErrorRate, WhiteSpaceCountsInCharactersButNotInWords) {
  EXPECT_EQ(corpus_cer(Lines{"Oui\u00A0!"}, Lines{"Oui !"}).edits, 1);
  EXPECT_EQ(corpus_wer(Lines{"  Oui\u00A0! "}, Lines{"Oui\u202F!"}).edits, 0);
}

TEST(CorpusCer, ReadsBrokenUtf8AsPythonDoes) {
  for (const nlohmann::json& text : testing::metric_golden().at("broken_utf8")) {
    const auto hexadecimal = text.at(0).get<std::string>();
    std::string bytes;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
      bytes.push_back(static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16)));
    }
    EXPECT_EQ(corpus_cer(Lines{""}, Lines{bytes}).reference_length, static_cast<double>(text.at(1).size()))
        << hexadecimal;
  }
}

TEST(CorpusCer, OfLongLinesIsExact) {
  std::string reference;
  for (int i = 0; i < 3000; ++i) {
    reference.push_back(static_cast<char>('a' + i * i % 23));
  }
  std::string hypothesis = reference;
  hypothesis.erase(100, 1);
  hypothesis[1500] = '#';
  hypothesis.insert(2500, "??");
  EXPECT_EQ(corpus_cer(Lines{hypothesis}, Lines{reference}).edits, 4);
}

TEST(ErrorRateMetric, TakesTheReferenceWithTheLowestRate) {
  const Lines references{"a b c d", "a x", "a b"};
  const ErrorRate wer(ErrorUnit::kWord);
  EXPECT_EQ(wer.count("a b", references), (std::vector<double>{0, 2}));
  EXPECT_EQ(wer.count("a b c", references), (std::vector<double>{1, 4}));
}

TEST(ErrorRateMetric, CaseCountsUnlessToldOtherwise) {
  const Lines references{"DÉJÀ VU"};
  EXPECT_EQ(ErrorRate(ErrorUnit::kCharacter).count("déjà vu", references).front(), 6);
  EXPECT_EQ(ErrorRate(ErrorUnit::kCharacter, /*lowercase=*/true).count("déjà vu", references).front(), 0);
  EXPECT_EQ(signature(ErrorRate(ErrorUnit::kWord), 2), "nrefs:2|case:mixed");
  EXPECT_EQ(signature(ErrorRate(ErrorUnit::kWord, /*lowercase=*/true), 1), "nrefs:1|case:lc");
}

TEST(ErrorRateMetric, OfLinesThatAreTooLongIsAnErrorUnlessTheyAreNearlyEqual) {
  const std::string letters(1'000'000, 'a');
  const ErrorRate cer(ErrorUnit::kCharacter);
  EXPECT_EQ(cer.count(letters + "b" + letters, Lines{letters + "c" + letters}).front(), 1);
  EXPECT_THROW((void)cer.count(letters, Lines{"b" + letters + "b"}), DataError);
}

}  // namespace
}  // namespace translate

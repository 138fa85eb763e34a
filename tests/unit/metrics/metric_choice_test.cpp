#include "metrics/metric_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace translate {
namespace {

using Lines = std::vector<std::string>;

TEST(ChooseBestMetric, IsBleuIfHalfOfTheReferencesHaveFourTokens) {
  EXPECT_EQ(choose_best_metric(Lines{"le chat dort .", "chat rouge"}, BleuTokenization::k13a), BestMetric::kBleu);
  EXPECT_EQ(choose_best_metric(Lines{"le chat dort .", "chat rouge", "un chien"}, BleuTokenization::k13a),
            BestMetric::kChrf);
  EXPECT_EQ(choose_best_metric(Lines{"le chat dort.", "le chat"}, BleuTokenization::kNone), BestMetric::kChrf);
}

TEST(ChooseBestMetric, DependsOnTheTokenizationOfTextWithoutSpaces) {
  const Lines chinese = {"我们明天去北京。", "你好，世界！"};
  EXPECT_EQ(choose_best_metric(chinese, BleuTokenization::k13a), BestMetric::kChrf);
  EXPECT_EQ(choose_best_metric(chinese, BleuTokenization::kZh), BestMetric::kBleu);
  EXPECT_EQ(choose_best_metric(chinese, BleuTokenization::kChar), BestMetric::kBleu);
}

TEST(ChooseBestMetric, IsBleuWithoutReferences) {
  EXPECT_EQ(choose_best_metric({}, BleuTokenization::k13a), BestMetric::kBleu);
}

TEST(ValidationSignature, HasTheSettingsOfTheMetric) {
  EXPECT_THAT(validation_signature(BestMetric::kBleu, BleuTokenization::kZh),
              ::testing::StartsWith("nrefs:1|case:mixed|eff:no|tok:zh|"));
  EXPECT_THAT(validation_signature(BestMetric::kChrf, BleuTokenization::kZh),
              ::testing::StartsWith("nrefs:1|case:mixed|eff:yes|"));
  EXPECT_EQ(validation_signature(BestMetric::kLoss, BleuTokenization::k13a), "");
}

}  // namespace
}  // namespace translate

#include "serve/service_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServiceMetrics, QuantilesAreOfTheAnsweredRequests) {
  ServiceMetrics metrics;
  EXPECT_THAT(metrics.text({}), Not(HasSubstr("quantile")));
  for (int i = 1; i <= 100; ++i) {
    metrics.count(200, std::chrono::seconds(101 - i));
    metrics.count(503, std::chrono::seconds(1000));
  }
  const auto text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("{quantile=\"0.5\"} 50.000000\n"));
  EXPECT_THAT(text, HasSubstr("{quantile=\"0.95\"} 95.000000\n"));
  EXPECT_THAT(text, HasSubstr("{quantile=\"0.99\"} 99.000000\n"));
  EXPECT_THAT(text, HasSubstr("translate_requests_total{status=\"503\"} 100\n"));
}

TEST(ServiceMetrics, OldTimesAreForgotten) {
  ServiceMetrics metrics;
  for (std::size_t i = 0; i < ServiceMetrics::kKept; ++i) {
    metrics.count(200, std::chrono::seconds(1000));
  }
  for (std::size_t i = 0; i < ServiceMetrics::kKept; ++i) {
    metrics.count(200, std::chrono::seconds(1));
  }
  EXPECT_THAT(metrics.text({}), HasSubstr("{quantile=\"0.99\"} 1.000000\n"));
  EXPECT_THAT(metrics.text({}), HasSubstr("{status=\"200\"} 8192\n"));
}

TEST(ServiceMetrics, ModelsAndReloadsAreTold) {
  const ServiceMetrics metrics;
  const auto text = metrics.text(
      {.queue = {}, .bytes = {{"en-fr", 5}, {"a \"b\"\\", 6}, {"en-fr", 7}}, .reloads = 3, .failed_reloads = 1});
  for (const auto* line :
       {"translate_model_bytes{model=\"en-fr\"} 5\n", "translate_model_bytes{model=\"en-fr (2)\"} 7\n",
        "translate_model_bytes{model=\"a \\\"b\\\"\\\\\"} 6\n", "translate_reloads_total{outcome=\"loaded\"} 3\n",
        "translate_reloads_total{outcome=\"failed\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace translate::tools

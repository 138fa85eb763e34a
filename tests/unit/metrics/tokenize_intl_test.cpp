#include <gtest/gtest.h>

#include "metrics/bleu.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Tokens = std::vector<std::string>;

TEST(TokenizeIntl, EqualsSacrebleuOnAllGoldenLines) {
  const nlohmann::json& lines = testing::metric_variants().at("intl");
  ASSERT_GT(lines.size(), 300U);
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(tokenize_intl(line.at(0).get<std::string>()), line.at(1).get<Tokens>()) << line.at(0);
  }
}

TEST(TokenizeIntl, CutsPunctuationAndSymbolsOfAllScripts) {
  EXPECT_EQ(tokenize_intl("«Ça coûte 3,50€»…"), (Tokens{"«", "Ça", "coûte", "3,50", "€", "»", "…"}));
  EXPECT_EQ(tokenize_intl("你好，世界。"), (Tokens{"你好", "，", "世界", "。"}));
}

TEST(TokenizeIntl, LeavesTheStopOfANumberAtTheEnd) { EXPECT_EQ(tokenize_intl("in 2004."), (Tokens{"in", "2004."})); }

}  // namespace
}  // namespace translate

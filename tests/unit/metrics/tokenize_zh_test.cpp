#include <gtest/gtest.h>

#include "metrics/bleu_tokens.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Tokens = std::vector<std::string>;

TEST(TokenizeZh, EqualsSacrebleuOnAllGoldenLines) {
  const nlohmann::json& lines = testing::metric_variants().at("zh");
  ASSERT_GT(lines.size(), 300U);
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(tokenize_zh(line.at(0).get<std::string>()), line.at(1).get<Tokens>()) << line.at(0);
  }
}

TEST(TokenizeZh, CutsAtEachChineseCharacterAndTheRestAs13a) {
  EXPECT_EQ(tokenize_zh("我有3.5个iPhone，真的！"),
            (Tokens{"我", "有", "3.5", "个", "iPhone", "，", "真", "的", "！"}));
}

}  // namespace
}  // namespace translate

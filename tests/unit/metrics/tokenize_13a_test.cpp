#include <gtest/gtest.h>

#include "metrics/bleu.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Tokens = std::vector<std::string>;

TEST(Tokenize13a, GivesTheTokensOfSacrebleuOnEveryGoldenLine) {
  const nlohmann::json& lines = testing::metric_golden().at("tokenization");
  ASSERT_GT(lines.size(), 500U);
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(tokenize_13a(line.at(0).get<std::string>()), line.at(1).get<Tokens>()) << line.at(0);
  }
}

TEST(Tokenize13a, TokensHoldNoSpaceAndAreNotEmpty) {
  for (const nlohmann::json& line : testing::metric_golden().at("tokenization")) {
    for (const std::string& token : tokenize_13a(line.at(0).get<std::string>())) {
      EXPECT_FALSE(token.empty());
      EXPECT_EQ(token.find_first_of(" \t\n"), std::string::npos);
    }
  }
}

TEST(Tokenize13a, NoBreakSpacesSeparateTokens) {
  EXPECT_EQ(tokenize_13a("Oui\u202F!\u00A0Non"), (Tokens{"Oui", "!", "Non"}));
}

TEST(Tokenize13a, PassesBytesThroughThatAreNotUtf8) {
  EXPECT_EQ(tokenize_13a("a\xFF, \xE3\x80"), (Tokens{"a\xFF", ",", "\xE3\x80"}));
}

}  // namespace
}  // namespace translate

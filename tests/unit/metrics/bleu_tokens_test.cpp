#include "metrics/bleu_tokens.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

using Tokens = std::vector<std::string>;

TEST(BleuTokens, AreCutAsTheTokenizationSays) {
  const auto cut = [](BleuTokenization tokenization) {
    return bleu_tokens("Où, «là»? ", {.tokenization = tokenization});
  };
  EXPECT_EQ(cut(BleuTokenization::k13a), (Tokens{"Où", ",", "«là»", "?"}));
  EXPECT_EQ(cut(BleuTokenization::kIntl), (Tokens{"Où", ",", "«", "là", "»", "?"}));
  EXPECT_EQ(cut(BleuTokenization::kNone), (Tokens{"Où,", "«là»?"}));
  EXPECT_EQ(cut(BleuTokenization::kChar), (Tokens{"O", "ù", ",", "«", "l", "à", "»", "?"}));
  EXPECT_EQ(cut(BleuTokenization::kZh), (Tokens{"Où", ",", "«là»", "?"}));
}

TEST(BleuTokens, ArePutIntoLowerCaseBeforeTheyAreCut) {
  EXPECT_EQ(bleu_tokens("R&AMP;D É", {.lowercase = true}), (Tokens{"r", "&", "d", "é"}));
}

}  // namespace
}  // namespace translate

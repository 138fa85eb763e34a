#include <gtest/gtest.h>

#include "core/error.h"
#include "metrics/bleu.h"

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
}

TEST(BleuTokens, ArePutIntoLowerCaseBeforeTheyAreCut) {
  EXPECT_EQ(bleu_tokens("R&AMP;D É", {.lowercase = true}), (Tokens{"r", "&", "d", "é"}));
}

TEST(BleuTokenizations, HaveNamesThatAreRead) {
  for (const std::string_view name : kBleuTokenizations) EXPECT_EQ(to_string(bleu_tokenization(name)), name);
}

TEST(BleuTokenizations, AnUnknownNameIsAnErrorThatNamesAll) {
  try {
    (void)bleu_tokenization("zh");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "BLEU has no tokenization \"zh\": it has 13a, intl, none and char");
  }
}

}  // namespace
}  // namespace translate

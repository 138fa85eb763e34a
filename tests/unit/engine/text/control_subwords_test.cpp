#include "text/control_subwords.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

TEST(ControlSubwords, AreAllWithACharacterBelowTheSpace) {
  const auto plain = sample_sentences(300);
  EXPECT_TRUE(control_subwords(train_tokenizer(small_tokenizer(TokenizerType::kBpe), {plain})).empty());
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar}) {
    auto sentences = plain;
    sentences.insert(sentences.end(), 50, "un\tun\tle");
    auto options = small_tokenizer(type, 400);
    options.normalization = Normalization::kIdentity;
    options.byte_fallback = true;
    const auto tokenizer = train_tokenizer(options, {sentences});
    const auto ids = control_subwords(tokenizer);
    const std::set<std::int64_t> controls(ids.begin(), ids.end());
    EXPECT_GE(controls.size(), 32U);
    for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
      const auto text = tokenizer.decode({&id, 1});
      const bool has_control = std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
      EXPECT_EQ(controls.contains(id), has_control) << tokenizer.subword(id);
    }
  }
}

}  // namespace
}  // namespace translate

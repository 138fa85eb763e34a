#include "decoding/candidate_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

/// A part of a line, and its translation.
struct TranslatedText {
  std::string separator;  ///< in front of its source
  std::string target;
};

/// The translation of a line from those of its parts.
class JoinedPartsTest : public ::testing::Test {
 protected:
  [[nodiscard]] Translation joined(const std::vector<TranslatedText>& texts) const {
    LineParts line;
    for (const auto& text : texts) {
      line.parts.push_back({.text = "x", .separator = text.separator});
      auto& sentence = line.parts.back().sentence;
      sentence.encoder_input = {1, 2};
      sentence.hypotheses.emplace_back().ids = tokenizer_.encode(text.target);
    }
    Translation translation;
    CandidateText(tokenizer_, tokenizer_, TranslatorOptions()).fill(translation, line);
    std::string by_parts;
    for (const auto& part : translation.parts) {
      by_parts += part.separator + (part.nbest.empty() ? translation.text : part.nbest.front().text);
    }
    EXPECT_EQ(by_parts, translation.text);
    return translation;
  }
  [[nodiscard]] std::string text(const std::vector<TranslatedText>& texts) const { return joined(texts).text; }

  /// Any text is its bytes.
  const Tokenizer tokenizer_ = [] {
    auto options = small_tokenizer(TokenizerType::kChar, 400);
    options.normalization = Normalization::kIdentity;
    options.byte_fallback = true;
    const auto sentences = sample_sentences(100);
    return train_tokenizer(options, {sentences});
  }();
};

TEST_F(JoinedPartsTest, SpacesFollowTheLanguageOfTheTranslation) {
  EXPECT_EQ(text({{"", "猫坐下了。"}, {" ", "狗睡了。"}, {"  ", "“走吧！”"}, {" ", "他说"}}),
            "猫坐下了。狗睡了。“走吧！”他说");
  EXPECT_EQ(text({{"", "The cat sat."}, {"", "The dog"}, {"\u3000", "slept."}}), "The cat sat. The dog slept.");
  EXPECT_EQ(text({{"", "고양이가"}, {"", "앉았다."}}), "고양이가 앉았다.");
  EXPECT_EQ(text({{"", "The cat sat."}, {"  ", "The dog slept."}, {"\u00a0", "Yes."}}),
            "The cat sat.  The dog slept.\u00a0Yes.");
}

TEST_F(JoinedPartsTest, LineEndsAndTabsStay) {
  EXPECT_EQ(text({{"", "猫。"}, {"\n", "狗。"}, {" \r\n", "鸟。"}, {"\t", "鱼。"}}), "猫。\n狗。 \r\n鸟。\t鱼。");
  EXPECT_EQ(text({{"", "A."}, {"\u2028", "B."}}), "A.\u2028B.");
}

TEST_F(JoinedPartsTest, SeparatorsJoinAlsoWhereATranslationIsEmpty) {
  EXPECT_EQ(text({{"", "A."}, {" ", ""}, {" ", "C."}}), "A. C.");
  EXPECT_EQ(text({{"", ""}, {" ", "B."}, {" ", ""}}), "B.");
  for (const std::string end : {"\n", "\r\n", "\u0085", "\u2028", "\u2029", " \f"}) {
    EXPECT_EQ(text({{"", "A."}, {end, ""}, {" ", "C."}}), "A." + end + "C.");
    EXPECT_EQ(text({{"", "A."}, {end, ""}, {end, "C."}}), "A." + end + end + "C.");
    EXPECT_EQ(text({{"", ""}, {end, "B."}}), end + "B.");
    EXPECT_EQ(text({{"", "A."}, {end, ""}}), "A." + end);
  }
  EXPECT_EQ(text({{"", ""}, {" ", ""}}), "");
  EXPECT_EQ(text({{"", "A."}}), "A.");
}

}  // namespace
}  // namespace translate

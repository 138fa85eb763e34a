#include "translate/decoding/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/core/utf8.h"
#include "translate/text/tokenizer_training.h"
#include "unit/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class LineSplitterTest : public ::testing::Test {
 protected:
  [[nodiscard]] LineParts split(const std::string& text, bool split_sentences, std::int64_t max_length = 100,
                                bool whole = false) const {
    const LineSplitter::Options options{
        .split_sentences = split_sentences, .language = "en", .max_source_length = max_length};
    return LineSplitter(tokenizer_, options).split(text, whole);
  }
  static std::vector<std::pair<std::string, std::string>> texts_of(const LineParts& line) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& part : line.parts) {
      texts.emplace_back(part.separator, part.text);
    }
    return texts;
  }

  Tokenizer tokenizer_ = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300, 1)});
};

TEST_F(LineSplitterTest, SentencesKeepWhatStandsBetweenThem) {
  const auto line = split(" Le chat.  Un val?\tMari. ", true);
  EXPECT_THAT(texts_of(line), ElementsAre(Pair("", "Le chat."), Pair("  ", "Un val?"), Pair("\t", "Mari.")));
  EXPECT_FALSE(line.was_cut());
  for (const auto& part : line.parts) {
    EXPECT_EQ(std::ssize(part.sentence.encoder_input), std::ssize(tokenizer_.encode(part.text)) + 2);
  }
}

TEST_F(LineSplitterTest, ALineStaysWholeWhereThatIsAskedFor) {
  const std::string text = "Le chat. Un val?";
  EXPECT_THAT(texts_of(split(text, false)), ElementsAre(Pair("", text)));
  EXPECT_THAT(texts_of(split(text, true, 100, /*whole=*/true)), ElementsAre(Pair("", text)));
}

TEST_F(LineSplitterTest, ABlankLineHasNoParts) {
  EXPECT_TRUE(split("", true).parts.empty());
  EXPECT_TRUE(split(" \t", false).parts.empty());
}

TEST_F(LineSplitterTest, OnlySentencesThatAreTooLongAreCut) {
  const std::string sentence = "Le chat est un val.";
  const auto length = std::ssize(tokenizer_.encode(sentence));
  const auto fits = split(sentence + " " + sentence, true, length);
  EXPECT_EQ(fits.parts.size(), 2U);
  EXPECT_FALSE(fits.was_cut());
  const auto cut = split("Mari. " + sentence, true, length - 1);
  EXPECT_EQ(cut.longest, length);
  EXPECT_GT(cut.parts.size(), 2U);
  EXPECT_EQ(cut.parts[0].text, "Mari.");
  std::string joined;
  for (const auto& part : cut.parts) {
    EXPECT_LE(std::ssize(tokenizer_.encode(part.text)), length - 1);
    joined += part.separator + part.text;
  }
  EXPECT_EQ(joined, "Mari. " + sentence);
}

}  // namespace
}  // namespace translate

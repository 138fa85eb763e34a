#include "text/sentence_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include "core/utf8.h"
#include "support/folders.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts_of(std::string_view text, const std::vector<TextRange>& ranges) {
  std::vector<std::string> texts;
  for (const auto& range : ranges) {
    texts.emplace_back(text.substr(range.begin, range.end - range.begin));
  }
  return texts;
}

std::vector<std::string> split(std::string_view text, const std::string& language = "en") {
  return texts_of(text, SentenceSplitter(language).split(text));
}

TEST(SentenceSplitter, AParagraphIsItsSentences) {
  EXPECT_THAT(split("The cat sat. The dog slept!  Did he? Yes."),
              ElementsAre("The cat sat.", "The dog slept!", "Did he?", "Yes."));
}

TEST(SentenceSplitter, AbbreviationsInitialsAndOrdinalsGoOn) {
  EXPECT_THAT(split("Dr. Smith and J. K. Rowling met in the U.S. in May. They left."),
              ElementsAre("Dr. Smith and J. K. Rowling met in the U.S. in May.", "They left."));
  EXPECT_THAT(split("Am 3. Mai, z. B. in Wien, kam Ludwig XIV. Um 8 Uhr. Er ging.", "de"),
              ElementsAre("Am 3. Mai, z. B. in Wien, kam Ludwig XIV.", "Um 8 Uhr.", "Er ging."));
  EXPECT_THAT(split("M. Dupont vit av. Foch, p. ex. Elle aussi.", "fr"),
              ElementsAre("M. Dupont vit av. Foch, p. ex. Elle aussi."));
}

TEST(SentenceSplitter, TheNumberOfAnItemBelongsToIt) {
  EXPECT_THAT(split("1. Mix the flour. 2. Add water."), ElementsAre("1. Mix the flour.", "2. Add water."));
}

TEST(SentenceSplitter, SpeechBelongsToItsSentence) {
  EXPECT_THAT(split("\"Go!\" he said. \"Why?\" She left."), ElementsAre("\"Go!\" he said.", "\"Why?\"", "She left."));
  EXPECT_THAT(split("« Quoi ? » dit-il. « Non ! » Il partit.", "fr"),
              ElementsAre("« Quoi ? » dit-il.", "« Non ! »", "Il partit."));
  EXPECT_THAT(split("— Tu as faim ? — Un peu.", "fr"), ElementsAre("— Tu as faim ?", "— Un peu."));
}

TEST(SentenceSplitter, SomeSentencesBeginWithoutACapital) {
  EXPECT_THAT(split("the cat sat. the dog slept."), ElementsAre("the cat sat.", "the dog slept."));
  EXPECT_THAT(split("It rose. iPhone sales fell. 5 people came."),
              ElementsAre("It rose.", "iPhone sales fell.", "5 people came."));
  EXPECT_THAT(split("It was, e.g. the dog, that sat. Really… Yes."),
              ElementsAre("It was, e.g. the dog, that sat.", "Really…", "Yes."));
}

TEST(SentenceSplitter, AMarkWithoutSpaceBehindItEndsNoSentence) {
  EXPECT_THAT(split("See www.example.org?q=A and 3.14. Hello!World"),
              ElementsAre("See www.example.org?q=A and 3.14.", "Hello!World"));
  EXPECT_THAT(split("你好吗。我很好！谢谢", "zh"), ElementsAre("你好吗。", "我很好！", "谢谢"));
}

TEST(SentenceSplitter, AClosingBracketOfChineseOrJapaneseEndsNoSentence) {
  EXPECT_THAT(split("「猫が好き？」と彼は言った。犬もだ。", "ja"),
              ElementsAre("「猫が好き？」と彼は言った。", "犬もだ。"));
  EXPECT_THAT(split("『行け！』って言った。", "ja"), ElementsAre("『行け！』って言った。"));
  EXPECT_THAT(split("他問：「好嗎？」然後走了。", "zh"), ElementsAre("他問：「好嗎？」然後走了。"));
  EXPECT_THAT(split("他（真的！）走了。", "zh"), ElementsAre("他（真的！）走了。"));
  EXPECT_THAT(split("「はい。」「いいえ。」", "ja"), ElementsAre("「はい。」", "「いいえ。」"));
  EXPECT_THAT(split("「はい。」 彼は言った。", "ja"), ElementsAre("「はい。」", "彼は言った。"));
  EXPECT_THAT(split("彼は笑った。「猫だ」と言った。", "ja"), ElementsAre("彼は笑った。", "「猫だ」と言った。"));
  EXPECT_THAT(split("他笑了。“好！”她说。“走吧。”“好。”", "zh"),
              ElementsAre("他笑了。", "“好！”她说。", "“走吧。”", "“好。”"));
}

TEST(SentenceSplitter, TheNumberOfAnItemMayHaveOtherDigits) {
  EXPECT_THAT(split("١. اخلط الدقيق. ٢. أضف الماء.", "ar"), ElementsAre("١. اخلط الدقيق.", "٢. أضف الماء."));
  EXPECT_THAT(split("१. आटा मिलाओ। २. पानी डालो।", "hi"), ElementsAre("१. आटा मिलाओ।", "२. पानी डालो।"));
}

TEST(SentenceSplitter, LineEndsSeparate) {
  EXPECT_THAT(split("A title\nThe cat sat"), ElementsAre("A title", "The cat sat"));
}

TEST(SentenceSplitter, OtherLanguagesHaveThePlainRules) {
  EXPECT_THAT(split("Dr. Smith sat. He slept.", "sw"), ElementsAre("Dr.", "Smith sat.", "He slept."));
  EXPECT_THAT(split("Τι κάνεις; Καλά.", "el"), ElementsAre("Τι κάνεις;", "Καλά."));
}

TEST(SentenceSplitter, ABlankTextHasNone) {
  EXPECT_THAT(split(""), ElementsAre());
  EXPECT_THAT(split(" \t\u00a0"), ElementsAre());
}

/// Text that marks, spaces and letters make at random.
std::string random_text(std::mt19937& random) {
  const std::vector<std::string> signs = {"a", "B", "é", " ",  " ",  ".", ".",  "!",  "?",  "…", "\"",
                                          "»", "(", "1", "\n", "。", "𝄞", "Dr", "「", "」", "１"};
  std::string text;
  for (auto length = random() % 30; length > 0; --length) {
    text += signs[random() % signs.size()];
  }
  return text;
}

TEST(SentenceSplitter, OnlyWhiteSpaceIsLeftOut) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto text = random_text(random);
    std::size_t end = 0;
    for (const auto& range : SentenceSplitter(i % 2 == 0 ? "en" : "de").split(text)) {
      EXPECT_TRUE(is_blank(text.substr(end, range.begin - end))) << text;
      EXPECT_LT(range.begin, range.end) << text;
      EXPECT_FALSE(first_invalid_utf8(text.substr(range.begin, range.end - range.begin))) << text;
      end = range.end;
    }
    EXPECT_TRUE(is_blank(text.substr(end))) << text;
  }
}

TEST(SentenceSplitter, TheQuickLookNeverMissesABoundaryOfTheStandard) {
  std::mt19937 random(2);
  std::size_t single = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto text = random_text(random);
    if (!may_hold_several_sentences(text)) {
      ++single;
      auto boundaries = SentenceSplitter("en").split_by_icu_alone(text);
      // A boundary without white space is none here.
      std::erase_if(boundaries,
                    [&](const TextRange& range) { return range.begin > 0 && text[range.begin - 1] != ' '; });
      EXPECT_LE(boundaries.size(), 1U) << text;
    }
  }
  EXPECT_GT(single, 300U);
  EXPECT_FALSE(may_hold_several_sentences("The cat sat, e.g.: 3.14 \"times.\" "));
}

/// The first characters of the sentences after the first, counted without white space.
std::set<std::size_t> boundaries_of(const std::vector<std::string>& sentences) {
  std::set<std::size_t> boundaries;
  std::size_t characters = 0;
  for (const auto& sentence : sentences) {
    if (characters > 0) {
      boundaries.insert(characters);
    }
    for (const char32_t c : decode_utf8(sentence)) {
      characters += is_unicode_space(c) ? 0 : 1;
    }
  }
  return boundaries;
}

/// How well boundaries are found in lines that a person has marked.
struct Agreement {
  double found = 0;  ///< boundaries that were found
  double right = 0;  ///< of them those that are marked
  double marked = 0;
  int whole_lines = 0;  ///< lines without a mistake

  void add(const std::set<std::size_t>& here, const std::set<std::size_t>& expected) {
    found += static_cast<double>(here.size());
    marked += static_cast<double>(expected.size());
    for (const auto boundary : here) {
      right += expected.contains(boundary) ? 1 : 0;
    }
    whole_lines += here == expected ? 1 : 0;
  }
  [[nodiscard]] double precision() const { return right / found; }
  [[nodiscard]] double recall() const { return right / marked; }
};

std::ostream& operator<<(std::ostream& stream, const Agreement& agreement) {
  return stream << "precision " << agreement.precision() << ", recall " << agreement.recall() << ", "
                << agreement.whole_lines << " of 100 lines";
}

/// The table of docs/decoding.md. tests/golden/text/sentences.*.txt: " | " stands between sentences.
TEST(SentenceSplitter, AgreesWithLinesMarkedByHand) {
  for (const std::string language : {"en", "fr", "de"}) {
    std::ifstream file(project_folder() / ("tests/golden/text/sentences." + language + ".txt"));
    const SentenceSplitter splitter(language);
    Agreement own;
    Agreement icu;
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines) {
      std::string text;
      std::vector<std::string> marked;
      for (std::size_t begin = 0; begin < line.size();) {
        const auto end = std::min(line.find(" | ", begin), line.size());
        marked.push_back(line.substr(begin, end - begin));
        text += (text.empty() ? "" : " ") + marked.back();
        begin = end + 3;
      }
      const auto expected = boundaries_of(marked);
      own.add(boundaries_of(texts_of(text, splitter.split(text))), expected);
      icu.add(boundaries_of(texts_of(text, splitter.split_by_icu_alone(text))), expected);
    }
    ASSERT_EQ(lines, 100) << language;
    std::cout << language << ": " << own << "; ICU alone: " << icu << "\n";
    EXPECT_GE(own.precision(), 0.98) << language;
    EXPECT_GE(own.recall(), 0.98) << language;
    EXPECT_GT(own.precision(), icu.precision()) << language;
    EXPECT_GT(own.recall(), icu.recall()) << language;
  }
}

}  // namespace
}  // namespace translate

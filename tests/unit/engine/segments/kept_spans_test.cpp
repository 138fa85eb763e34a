#include "segments/kept_spans.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

class KeptSpansTest : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  [[nodiscard]] Texts of_kind(const std::string& text, KeptSpan::Kind kind) const {
    Texts found;
    for (const auto& span : find_kept_text(text, coverage_, std::array<const KeptTerms*, 1>{&terms_}).spans) {
      if (span.kind == kind) {
        found.push_back(text.substr(span.range.begin, span.range.end - span.range.begin));
      }
    }
    return found;
  }
  [[nodiscard]] Texts names(const std::string& text) const { return of_kind(text, KeptSpan::Kind::kName); }
  [[nodiscard]] Texts symbols(const std::string& text) const { return of_kind(text, KeptSpan::Kind::kSymbol); }

  CharacterCoverage coverage_{testing::small_vocabulary()};
  KeptTerms terms_;
};

TEST_F(KeptSpansTest, OrdinarySentencesHaveNone) {
  for (const std::string text : {"The cat sees the red apples.", "50% of the dogs, and 3:1", "I'm at the table (now)!",
                                 "Un été, les chiens", "Price: $5", "a/b and/or c", "a < b"}) {
    EXPECT_EQ(names(text), Texts{}) << text;
    EXPECT_EQ(symbols(text), Texts{}) << text;
  }
}

TEST_F(KeptSpansTest, PlaceholdersAndTechnicalNamesAreNames) {
  EXPECT_EQ(names("Hello {name}, %d of the cats."), (Texts{"{name}", "%d"}));
  EXPECT_EQ(names("See https://example.org/a, or (me@example.org)."),
            (Texts{"https://example.org/a", "me@example.org"}));
  EXPECT_EQ(names("The \"README.md\" of #cats by @dogs"), (Texts{"README.md", "#cats", "@dogs"}));
  EXPECT_EQ(names("Run `make` or main() in /usr/bin."), (Texts{"`make`", "main()", "/usr/bin"}));
}

TEST_F(KeptSpansTest, NamesThatTouchAreOne) {
  EXPECT_EQ(names("the {a}{b} cat"), Texts{"{a}{b}"});
  EXPECT_EQ(names("page %d/%d of the table"), Texts{"%d/%d"});
  EXPECT_EQ(names("{a} {b}"), (Texts{"{a}", "{b}"}));
  EXPECT_EQ(names("{a}s and {b}"), (Texts{"{a}", "{b}"}));
}

TEST_F(KeptSpansTest, ANameInsideAWordIsTheWord) {
  EXPECT_EQ(names("the pre{x}post cat"), Texts{"pre{x}post"});
  EXPECT_EQ(names("the {x}s cat"), Texts{"{x}"});
}

TEST_F(KeptSpansTest, WordsWithLettersThatTheVocabularyLacksAreNames) {
  EXPECT_EQ(names("The cat sees Łódź, and Привет."), (Texts{"Łódź", "Привет"}));
  EXPECT_EQ(names("Un été"), Texts{});
}

TEST_F(KeptSpansTest, SymbolsThatTheVocabularyLacksAreSymbols) {
  EXPECT_EQ(symbols("The cat 👩‍👩‍👧 sees ❤️ apples"), (Texts{"👩‍👩‍👧", "❤️"}));
}

TEST_F(KeptSpansTest, TagsArePairsOrSymbols) {
  const std::string text = "The <b>cat <i>sees</i></b> the<br/> table</p>";
  const auto kept = find_kept_text(text, coverage_, std::array<const KeptTerms*, 1>{&terms_});
  ASSERT_EQ(kept.pairs.size(), 2U);
  EXPECT_EQ(kept.pairs[0].opening, (TextMark{.begin = 4, .end = 7}));
  EXPECT_EQ(kept.pairs[0].closing, (TextMark{.begin = 22, .end = 26}));
  EXPECT_EQ(kept.pairs[1].opening, (TextMark{.begin = 11, .end = 14}));
  EXPECT_EQ(symbols(text), (Texts{"<br/>", "</p>"}));
  EXPECT_EQ(symbols("<b>the <i>cat</b>"), Texts{"<i>"});
}

TEST_F(KeptSpansTest, TermsAreNames) {
  terms_ = KeptTerms(std::vector<std::string>{"red apples", "cat", " Writer "});
  EXPECT_EQ(names("The cat sees the red apples, in Writer."), (Texts{"cat", "red apples", "Writer"}));
  EXPECT_EQ(names("The cats see the red applesauce in writer."), Texts{});
}

TEST(KeptTerms, TheLongestWholeWordsMatch) {
  const KeptTerms terms(std::vector<std::string>{"a", "a b", "é", "日本", "C++", "", "  "});
  EXPECT_EQ(terms.match("a b c", 0), 3U);
  EXPECT_EQ(terms.match("a bc", 0), 1U);
  EXPECT_EQ(terms.match("ab", 0), 0U);
  EXPECT_EQ(terms.match("été", 0), 0U);
  EXPECT_EQ(terms.match("é!", 0), 2U);
  EXPECT_EQ(terms.match("東日本語", 3), 6U);  // no spaces part the words of Japanese
  EXPECT_EQ(terms.match("C++.", 0), 3U);
  EXPECT_TRUE(KeptTerms(std::vector<std::string>{"", " "}).is_empty());
}

}  // namespace
}  // namespace translate

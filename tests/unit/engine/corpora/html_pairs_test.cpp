#include "corpora/html_pairs.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "corpora/corpus_reader.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using Pair = std::pair<std::string, std::string>;

Pair read(Pair pair) {
  read_html(pair.first, pair.second);
  return pair;
}

TEST(HtmlPairs, TagsOfBothSidesBecomeSymbolsNumberedByTheSource) {
  EXPECT_EQ(read({"Press <b>the <a href=\"x>y\">red</a> button</b> or <b>Esc</b>.",
                  "<b>Esc</b> oder <B>den <a href='z'>roten</a> Knopf</B> dr\u00fccken."}),
            (Pair{"Press <0>the <1>red</1> button</0> or <2>Esc</2>.",
                  "<0>Esc</0> oder <2>den <1>roten</1> Knopf</2> dr\u00fccken."}));
}

TEST(HtmlPairs, OtherTagsAreLeftOut) {
  const std::vector<std::pair<Pair, Pair>> expected = {
      {{"<b>a</b> b", "c d"}, {"a b", "c d"}},
      {{"<b>a</b> b", "<i>c</i> d"}, {"a b", "c d"}},
      {{"<b>a b</b>", "<b>c d</b>"}, {"a b", "c d"}},    // around everything
      {{"a <b></b>b", "c <b></b>d"}, {"a b", "c d"}},    // around nothing
      {{"a<br/> <b>b", "c<br> d</b>"}, {"a b", "c d"}},  // without a counterpart
      {{"a<!-- <b> --> b", "c d"}, {"a b", "c d"}},
      {{"use <code>x</code> b", "c <code>x</code> d"}, {"use x b", "c x d"}},
      {{"<b>a <i>b</b> c</i> d", "<b>e</b> <i>f</i> g"}, {"a b c d", "e f g"}},
  };
  for (const auto& [pair, plain] : expected) {
    EXPECT_EQ(read(pair), plain) << pair.first;
  }
}

TEST(HtmlPairs, AngleBracketsThatAreNoTagsStay) {
  EXPECT_EQ(read({"1 < 2 <", "<3 a<b"}), (Pair{"1 < 2 <", "<3 a<b"}));
  EXPECT_EQ(read({"<!-- open", "</"}), (Pair{"<!-- open", "</"}));
}

TEST(HtmlPairs, CharacterReferencesAreRead) {
  EXPECT_EQ(read({"&lt;b&gt; &amp;amp; &quot;&#39;&#x20ac;&nbsp;&apos;", "&eacute; &#0; &#xd800; &#; & &amp"}),
            (Pair{"<b> &amp; \"'\u20ac\u00a0'", "&eacute; &#0; &#xd800; &#; & &amp"}));
}

TEST(HtmlPairs, MoreTagsThanThereAreSymbolsForHaveNone) {
  std::string source = "x";
  for (int i = 0; i < 7; ++i) {
    source += " <b>a</b>";
  }
  const auto [read_source, read_target] = read({source, source});
  EXPECT_EQ(read_source, "x <0>a</0> <1>a</1> <2>a</2> <3>a</3> <4>a</4> a a");
  EXPECT_EQ(read_target, read_source);
}

class HtmlPairsFiles : public TemporaryFolderTest {};

TEST_F(HtmlPairsFiles, OfACorpusWithMarkupAreRead) {
  write_text(folder_ / "a.en", "a <b>b</b>\n");
  write_text(folder_ / "a.fr", "c <b>d</b>\n");
  CorpusFiles files{.source = folder_ / "a.en", .target = folder_ / "a.fr"};
  const std::vector<CorpusFiles> plain = {files};
  EXPECT_EQ(read_parallel_corpus(plain).source.front(), "a <b>b</b>");
  files.markup = Markup::kHtml;
  const std::vector<CorpusFiles> both = {files, plain.front()};
  const auto corpus = read_parallel_corpus(both);
  EXPECT_EQ(corpus.source.front(), "a <0>b</0>");
  EXPECT_EQ(corpus.target.front(), "c <0>d</0>");
  EXPECT_EQ(corpus.source.back(), "a <b>b</b>");
}

}  // namespace
}  // namespace translate

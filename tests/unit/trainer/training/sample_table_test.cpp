#include "training/sample_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace translate::trainer {
namespace {

TEST(SampleTableTest, EachSampleIsARow) {
  const std::vector<ShownTranslation> samples = {{"A cat.", "Un chat.", "Un chien."}, {"Dogs", "Chiens", ""}};
  EXPECT_EQ(sample_table(samples),
            "| source | reference | translation |\n|---|---|---|\n"
            "| A cat. | Un chat. | Un chien. |\n| Dogs | Chiens |  |\n");
}

TEST(SampleTableTest, MarkdownAndHtmlInATextAreText) {
  const std::vector<ShownTranslation> samples = {{"a|b *c*", "<b>&amp;", "x\ty"}};
  EXPECT_EQ(sample_table(samples),
            "| source | reference | translation |\n|---|---|---|\n"
            "| a&#124;b &#42;c&#42; | &#60;b&#62;&#38;amp; | x y |\n");
}

}  // namespace
}  // namespace translate::trainer

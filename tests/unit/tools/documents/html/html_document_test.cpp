#include "documents/html/html_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HtmlDocument, AttributesAreTranslated) {
  EXPECT_EQ(capitals(*read_as("html",
                              "<p title='it&#39;s' class=x>a <img alt=cat src=b> <input placeholder=\"c &amp; "
                              "d\" aria-label=\" e \"></p>")),
            "<p title='IT&#39;S' class=x>A <img alt=\"CAT\" src=b> <input placeholder=\"C &amp; D\" aria-label=\" E "
            "\"></p>");
  EXPECT_EQ(capitals(*read_as("html", "<meta name=Description content='a'><meta name=x content='b'>")),
            "<meta name=Description content='A'><meta name=x content='b'>");
  EXPECT_THAT(read_as("html", "<p translate=no title=a>b</p><code title=c>d</code><img alt=''>")->texts(), IsEmpty());
}

TEST(HtmlDocument, AttributesMoveWithTheirTags) {
  const auto document = read_as("html", "<p>red <a title=\"the link\">apples</a></p>");
  EXPECT_THAT(document->texts(), ElementsAre("red apples", "the link"));
  const std::vector<AlignedText> translations = {
      {.text = "pommes rouges", .alignment = {{.source = 1, .target = 0}, {.source = 0, .target = 1}}},
      {.text = "le lien"}};
  EXPECT_EQ(document->write(translations), "<p><a title=\"le lien\">pommes</a> rouges</p>");
}

TEST(HtmlDocument, EditableRegionsAreTranslatedOnlyOnRequest) {
  const auto texts = [](const std::string& page, EditableRegions editable) {
    return read_document(find_document_format("html"), {.bytes = page, .name = "p", .editable = editable})->texts();
  };
  const std::string page =
      "<p>a</p><div contenteditable title=b>c <i contenteditable=false>d</i><img alt=e></div><p contenteditable=true "
      "translate=yes>f</p><p contenteditable=plaintext-only>g</p><p contenteditable=inherit>h</p>";
  EXPECT_THAT(texts(page, EditableRegions::kStay), ElementsAre("a", "d", "f", "h", "b"));
  EXPECT_THAT(texts(page, EditableRegions::kTranslated), ElementsAre("a", "c d", "f", "g", "h", "b", "e"));
}

TEST(HtmlDocument, HostileTreesEndInTime) {
  std::string nested;
  for (int i = 0; i < 300'000; ++i) {
    nested += "<div>";
  }
  std::string attributes = "<p ";
  for (int i = 0; i < 300'000; ++i) {
    attributes += "a" + std::to_string(i) + " ";
  }
  for (const auto& page : {nested, attributes + ">"}) {
    EXPECT_THROW((void)read_as("html", page), DataError);
  }
}

TEST(HtmlDocument, LanguageAndDirectionFollow) {
  EXPECT_EQ(untranslated(*read_as("html", "<html lang=en dir='ltr'>")), "<html lang=\"fr\" dir='ltr'>");
  EXPECT_EQ(untranslated(*read_as("html", "<html>a")), "<html>a");
  const auto to_arabic = [](const std::string& page) {
    return untranslated(
        *read_document(find_document_format("html"), {.bytes = page, .name = "p", .target_language = "ar"}));
  };
  EXPECT_EQ(to_arabic("<html lang=\"en\">"), "<html dir=\"rtl\" lang=\"ar\">");
  EXPECT_EQ(to_arabic("<html dir=ltr>"), "<html dir=\"rtl\">");
  EXPECT_EQ(untranslated(*read_document(find_document_format("html"), {.bytes = "<html lang=en>", .name = "p"})),
            "<html lang=en>");
}

}  // namespace
}  // namespace translate::tools

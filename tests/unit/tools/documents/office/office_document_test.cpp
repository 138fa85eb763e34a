#include "documents/office/office_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "documents/office/office_archive.h"
#include "support/error_of.h"
#include "unit/tools/documents/document_samples.h"
#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using translate::testing::error_of;

std::string docx_capitals(const std::string& body) {
  const auto written = capitals(*read_as("docx", docx_of(body)));
  const auto xml = OfficeArchive(written, "file").read("word/document.xml");
  const auto begin = xml.find("<w:body>") + 8;
  return xml.substr(begin, xml.find("</w:body>") - begin);
}

TEST(Odt, ParagraphsAreTextsWithSpansAsMarks) {
  const auto file = odt_of("<text:p>the <text:span x=\"y\">red</text:span> cat</text:p><text:h>a &amp; b</text:h>");
  EXPECT_THAT(read_as("odt", file)->texts(), ElementsAre("the red cat", "a & b"));
  const auto written = capitals(*read_as("odt", file));
  OfficeArchive archive(written, "file");
  EXPECT_THAT(archive.names(), ElementsAre("mimetype", "content.xml", "meta.xml"));
  EXPECT_THAT(archive.read("content.xml"),
              HasSubstr("<text:p>THE <text:span x=\"y\">RED</text:span> CAT</text:p><text:h>A &amp; B</text:h>"));
  EXPECT_EQ(archive.read("meta.xml"), "<x/>");
}

TEST(Docx, WordsKeepTheFormatOfTheirRun) {
  EXPECT_EQ(docx_capitals("<w:p><w:r><w:t xml:space=\"preserve\">the big </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>red"
                          "</w:t></w:r><w:r><w:t xml:space=\"preserve\"> cat</w:t></w:r></w:p>"),
            "<w:p><w:r><w:t xml:space=\"preserve\">THE BIG </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t "
            "xml:space=\"preserve\">RED</w:t></w:r><w:r><w:t xml:space=\"preserve\"> CAT</w:t></w:r></w:p>");
}

TEST(Docx, PartsOfAWordAreOne) {
  const std::string split =
      "<w:p><w:r w:rsidR=\"1\"><w:t>ca</w:t></w:r><w:r w:rsidR=\"2\"><w:t>t "
      "</w:t></w:r><w:r><w:t>sat</w:t></w:r></w:p>";
  EXPECT_THAT(read_as("docx", docx_of(split))->texts(), ElementsAre("cat sat"));
  EXPECT_THAT(read_as("docx", docx_of(split))->marks(), Each(IsEmpty()));
  EXPECT_EQ(docx_capitals(split), "<w:p><w:r><w:t xml:space=\"preserve\">CAT SAT</w:t></w:r></w:p>");
}

TEST(Docx, LinksAndImagesStay) {
  EXPECT_EQ(
      docx_capitals(
          "<w:p><w:r><w:t>a </w:t></w:r><w:hyperlink r:id=\"1\" xmlns:r=\"r\"><w:r><w:t>b</w:t></w:r></w:hyperlink>"
          "<w:r><w:drawing/></w:r></w:p>"),
      "<w:p><w:r><w:t xml:space=\"preserve\">A </w:t></w:r><w:hyperlink r:id=\"1\" xmlns:r=\"r\"><w:r><w:t "
      "xml:space=\"preserve\">B</w:t></w:r></w:hyperlink><w:r><w:drawing/></w:r></w:p>");
}

TEST(Docx, FieldsStay) {
  EXPECT_THAT(
      read_as("docx", docx_of("<w:p><w:r><w:fldChar/></w:r><w:r><w:t>a</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>b"
                              "</w:delText></w:r></w:del></w:p>"))
          ->texts(),
      IsEmpty());
}

TEST(OfficeDocument, ErrorsNameTheFileAndTheEntry) {
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("docx", "no archive"); }), HasSubstr("file: not a zip archive"));
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("odt", docx_of("")); }), HasSubstr("no text of this format"));
  EXPECT_THAT(error_of<DataError>([] { (void)read_as("docx", docx_of("<w:p>")); }),
              HasSubstr("file: word/document.xml: line 1: not well-formed"));
}

TEST(OfficeDocument, AnEntryThatUnpacksToTooMuchIsRefused) {
  auto bomb = docx_of("");
  const auto size = bomb.rfind("word/document.xml") - 46 + 24;  // in the central directory
  bomb.replace(size, 4, "\xFF\xFF\xFF\x7F");
  EXPECT_NE(error_of<DataError>([&] { (void)read_as("docx", bomb); }), "");
}

TEST(OfficeDocument, TheLimitOfWhatIsUnpackedIsThatOfTheInput) {
  const auto read = [](std::size_t most) {
    return read_document(
        find_document_format("docx"),
        {.bytes = docx_of("<w:p><w:r><w:t>a</w:t></w:r></w:p>"), .name = "file", .most_unpacked = most});
  };
  EXPECT_THAT(error_of<DataError>([&] { (void)read(10); }), HasSubstr("unpacked; expected at most 10 in all"));
  EXPECT_EQ(read(1000)->texts().size(), 1U);
}

}  // namespace
}  // namespace translate::tools

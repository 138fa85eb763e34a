#include "infer/document_translation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using translate::testing::error_of;

std::string format_name(const DocumentOptions& options, const std::string& path, bool wants_lines = false) {
  const auto* format = choose_document_format(options, path, wants_lines);
  return format == nullptr ? "lines" : std::string(format->name);
}

TEST(DocumentTranslation, TheFormatIsTheOneGivenOrThatOfTheSuffix) {
  EXPECT_EQ(format_name({}, "a.html"), "html");
  EXPECT_EQ(format_name({}, "a.txt"), "lines");
  EXPECT_EQ(format_name({}, ""), "lines");
  EXPECT_EQ(format_name({.format = "text"}, "a.html"), "lines");
  EXPECT_EQ(format_name({.format = "po"}, "a.html"), "po");
  EXPECT_EQ(format_name({.format = "po"}, ""), "po");
  EXPECT_EQ(format_name({}, "a.html", /*wants_lines=*/true), "lines");
}

TEST(DocumentTranslation, OptionsThatContradictEachOtherAreErrors) {
  EXPECT_THAT(error_of<ConfigError>([] { (void)format_name({.format = "html"}, "a", /*wants_lines=*/true); }),
              HasSubstr("--format html translates a file as a whole"));
  EXPECT_THAT(error_of<ConfigError>([] { (void)format_name({.columns = {"a"}}, "a.html"); }),
              HasSubstr("--column is for tables"));
  EXPECT_EQ(format_name({.columns = {"a"}}, "a.csv"), "csv");
  EXPECT_THAT(error_of<ConfigError>([] { (void)format_name({.editable = true}, "a.md"); }),
              HasSubstr("--editable is for HTML"));
  EXPECT_EQ(format_name({.editable = true}, "a.html"), "html");
}

class DocumentFiles : public TemporaryFolderTest {
 protected:
  std::string write(const std::string& content) {
    std::ofstream(folder_ / "file", std::ios::binary) << content;
    return (folder_ / "file").string();
  }

  const DocumentFormat& html_ = find_document_format("html");
};

TEST_F(DocumentFiles, AreReadAsTheyAre) {
  const auto file = read_document_file(html_, write("\xEF\xBB\xBF"
                                                    "a\r\n b"));
  EXPECT_EQ(file.byte_order_mark, "\xEF\xBB\xBF");
  EXPECT_EQ(file.bytes, "a\r\n b");
  EXPECT_EQ(read_document_file(html_, write("")).bytes, "");
  EXPECT_EQ(read_document_file(find_document_format("docx"), write(std::string("PK\0\xFF", 4))).bytes.size(), 4U);
}

TEST_F(DocumentFiles, ThatAreNoTextAreErrorsWithTheLine) {
  const auto error = [&](const std::string& content) {
    return error_of<DataError>([&] { (void)read_document_file(html_, write(content)); });
  };
  EXPECT_THAT(error(std::string("a\nb\0", 4)), HasSubstr("file: line 2: a NUL byte"));
  EXPECT_THAT(error("a\n\n\xFF"), HasSubstr("file: line 3: not UTF-8"));
  EXPECT_THAT(error(std::string("\xFF\xFE"
                                "a\0",
                                4)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(error_of<DataError>([&] { (void)read_document_file(html_, (folder_ / "none").string()); }),
              HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace translate

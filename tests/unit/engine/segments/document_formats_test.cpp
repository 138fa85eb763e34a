#include "segments/document_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using translate::testing::error_of;

TEST(DocumentFormats, ASuffixTellsTheFormatInAnyCase) {
  for (const auto& [path, name] :
       {std::pair("a/b.html", "html"), std::pair("B.HTM", "html"), std::pair("x.y.md", "markdown"),
        std::pair("t.srt", "srt"), std::pair("t.vtt", "vtt"), std::pair("t.yml", "yaml"),
        std::pair("res/values/strings.xml", "android"), std::pair("t.xlf", "xliff")}) {
    const auto* format = document_format_of(path);
    ASSERT_NE(format, nullptr) << path;
    EXPECT_EQ(format->name, name);
  }
  for (const auto* path : {"a.txt", "a.en", "html", ".html", "a.xml", "a.md.gz", "a.html~"}) {
    EXPECT_EQ(document_format_of(path), nullptr) << path;
  }
}

TEST(DocumentFormats, NoTwoHaveANameOrASuffixInCommon) {
  std::set<std::string_view> seen = {"text"};
  for (const auto& format : document_formats()) {
    EXPECT_TRUE(seen.insert(format.name).second) << format.name;
    for (const auto suffix : format.suffixes) {
      EXPECT_THAT(suffix, StartsWith("."));
      EXPECT_TRUE(seen.insert(suffix).second) << suffix;
    }
  }
}

TEST(DocumentFormats, AnUnknownNameIsAnErrorThatListsTheOthers) {
  EXPECT_THAT(error_of<ConfigError>([] { (void)find_document_format("pdf"); }),
              HasSubstr("the formats are text, html, "));
}

TEST(DocumentFormats, AReaderThatWasNotBuiltIsNamed) {
  const DocumentFormat none{.name = "none", .title = "No format", .suffixes = {}};
  EXPECT_THAT(error_of<ConfigError>([&] { (void)read_document(none, {.bytes = "", .name = "a.none"}); }),
              HasSubstr("a.none: this program was built without the reader of No format (TRANSLATE_DOCUMENTS"));
}

}  // namespace
}  // namespace translate

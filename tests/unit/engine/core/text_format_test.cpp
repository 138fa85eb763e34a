#include "core/text_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

namespace translate {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

std::string format_of(std::string_view beginning) { return other_format(beginning).value_or("text"); }

TEST(TextFormat, NamesCompressedFilesAndArchives) {
  const std::string tar = "train.en"s + std::string(249, '\0') + "ustar\0"s;
  for (const auto& [beginning, name, remedy] :
       {std::tuple("\x1F\x8B\x08\0"s, "gzip", "gunzip -k"),
        std::tuple("\xFD"
                   "7zXZ\0\0\x04"s,
                   "xz", "xz -dk"),
        std::tuple("BZh91AY&SY\x01"s, "bzip2", "bunzip2 -k"), std::tuple("BZh1\x17rE8P\x90"s, "bzip2", "bunzip2 -k"),
        std::tuple("\x28\xB5\x2F\xFD\x04"s, "zstd", "zstd -d"), std::tuple("\x04\x22\x4D\x18@"s, "lz4", "lz4 -d"),
        std::tuple("PK\x03\x04\x14"s, "zip archive", "unzip"), std::tuple("PK\x05\x06\0"s, "zip archive", "unzip"),
        std::tuple("7z\xBC\xAF\x27\x1C\0"s, "7z archive", "7z x"), std::tuple(tar, "tar archive", "tar -xf")}) {
    EXPECT_THAT(format_of(beginning), AllOf(HasSubstr(name), HasSubstr(remedy)));
  }
}

TEST(TextFormat, TellsPackedTextFromArchives) {
  for (const std::string& text : {"\x1F\x8B\x08"s,
                                  "\xFD"
                                  "7zXZ\0"s,
                                  "\x28\xB5\x2F\xFD"s, "BZh91AY&SY\x01"s}) {
    EXPECT_EQ(container_of(text), Container::kPacked) << text;
  }
  EXPECT_EQ(container_of("PK\x03\x04"), Container::kZip);
  EXPECT_EQ(container_of(std::string(257, 'a') + "ustar"), Container::kTar);
  for (const std::string& text : {""s, "The cat sat\n"s, "PK"s, "BZh9 is a name"s, "\xFF\xFE"s}) {
    EXPECT_EQ(container_of(text), Container::kNone) << text;
  }
}

TEST(TextFormat, NamesUtf16AndUtf32) {
  EXPECT_THAT(format_of("\xFF\xFEt\0"s), HasSubstr("is UTF-16; convert it: iconv -f utf-16 -t utf-8"));
  EXPECT_THAT(format_of("\xFE\xFF\0t"s), HasSubstr("iconv -f utf-16 -t utf-8"));
  EXPECT_THAT(format_of("T\0h\0e\0 \0c\0a\0t\0"s), HasSubstr("iconv -f utf-16le -t utf-8"));
  EXPECT_THAT(format_of("\0T\0h\0e"s), HasSubstr("iconv -f utf-16be -t utf-8"));
  EXPECT_THAT(format_of("\xFF\xFE\0\0t\0\0\0"s), HasSubstr("is UTF-32; convert it: iconv -f utf-32 -t utf-8"));
  EXPECT_THAT(format_of("\0\0\xFE\xFF\0\0\0t"s), HasSubstr("UTF-32"));
}

TEST(TextFormat, TakesAnythingElseForText) {
  for (const std::string& text : {""s, "a"s, "The cat sat\n"s, "PK"s, "BZh9 is a name"s, "7zip"s, "ustar"s,
                                  "\xEF\xBB\xBFThe"s, "d\xE9j\xE0 vu"s, "\xFD"s, "a\0"s, "th\0ree"s, "\xFF"s}) {
    EXPECT_EQ(format_of(text), "text") << text;
  }
}

}  // namespace
}  // namespace translate

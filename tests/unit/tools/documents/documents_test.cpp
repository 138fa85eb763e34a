// What all formats have in common.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "core/error.h"
#include "core/utf8.h"
#include "support/error_of.h"
#include "unit/tools/documents/document_samples.h"
#include "unit/tools/documents/document_support.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;
using translate::testing::error_of;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Documents, AllFormatsHaveAReader) {
  for (const auto& format : document_formats()) {
    EXPECT_TRUE(std::ranges::any_of(linked_documents(), [&](const DocumentReader& reader) {
      return reader.format == format.name;
    })) << format.name;
    EXPECT_TRUE(document_samples().contains(std::string(format.name))) << format.name;
  }
}

TEST(Documents, WithTheirOwnTextsTheyStayByteForByte) {
  for (const auto& [format, samples] : document_samples()) {
    for (const auto& sample : samples) {
      const auto document = read_as(format, sample, {"1"});
      if (format != "po" && format != "xliff" && format != "tmx") {  // these get what is missing
        EXPECT_EQ(untranslated(*document), sample) << format;
      }
    }
  }
}

TEST(Documents, TranslationsAreReadAgainAsTheyWereWritten) {
  for (const auto& [format, samples] : document_samples()) {
    if (format == "po" || format == "xliff" || format == "tmx" || format == "srt" || format == "vtt") {
      continue;  // translated entries are not texts any more; subtitles are parted
    }
    for (const auto& sample : samples) {
      const auto document = read_as(format, sample, {"1"});
      const auto written = capitals(*document);
      std::vector<std::string> wanted;
      for (const auto& text : document->texts()) {
        wanted.push_back(in_capital_words(text).text);
      }
      EXPECT_EQ(read_as(format, written, {"1"})->texts(), wanted) << format << "\n" << written;
    }
  }
}

TEST(Documents, WhatIsFilledInStaysTheSecondTime) {
  for (const std::string format : {"po", "xliff", "tmx"}) {
    for (const auto& sample : document_samples().at(format)) {
      const auto document = read_as(format, sample);
      const auto written = capitals(*document);
      EXPECT_THAT(read_as(format, written)->texts(), ::testing::IsEmpty()) << written;
      EXPECT_EQ(untranslated(*read_as(format, written)), written);
      std::size_t at = 0;  // all lines of the file are there, in their order
      for (const auto& line : lines_of(sample)) {
        if (line.find("<target") == std::string::npos && line.find("<tuv") == std::string::npos &&
            !line.starts_with("msgstr") && !line.starts_with("#,") && line.find("<segment") == std::string::npos &&
            line.find("<xliff") == std::string::npos && line.find("<file") == std::string::npos) {
          at = written.find(line, at);
          ASSERT_NE(at, std::string::npos) << line << "\nin\n" << written;
        }
      }
    }
  }
}

/// Files with random damage are refused with a message, or read; never anything else.
TEST(Documents, DamagedFilesAreReadOrRefused) {
  std::mt19937 random(1);
  for (const auto& [format, samples] : document_samples()) {
    for (int i = 0; i < 200; ++i) {
      auto bytes = samples[random() % samples.size()];
      for (auto changes = random() % 4 + 1; changes > 0 && !bytes.empty(); --changes) {
        constexpr std::string_view kBytes = "<>&\"'\\|[]{}*_`-:#\n !x";
        const auto at = random() % bytes.size();
        if (random() % 2 == 0) {
          bytes[at] = kBytes[random() % kBytes.size()];
        } else {
          bytes.erase(at, random() % 5 + 1);
        }
      }
      bytes = replace_invalid_utf8(bytes);
      try {
        const auto document = read_as(format, bytes, {"1"});
        if (format != "po" && format != "xliff" && format != "tmx") {
          EXPECT_EQ(untranslated(*document), bytes) << format;
        }
        for (const auto& text : document->texts()) {
          EXPECT_FALSE(is_blank(text));
          EXPECT_FALSE(first_invalid_utf8(text).has_value());
        }
        (void)capitals(*document);
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("file")) << format;
      } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("column")) << format;
      }
    }
  }
}

TEST(Documents, ADeepTreeTakesBoundedTimeAndMemory) {
  constexpr std::size_t kDeep = 20000;
  std::string xml = "<resources><string name=\"a\">";
  std::string html;
  std::string lists;
  std::string emphasis;
  for (std::size_t i = 0; i < kDeep; ++i) {
    xml += "<b>x ";
    html += "<b>x ";
    lists += "[";
    emphasis += "*a **b ";
  }
  for (std::size_t i = 0; i < kDeep; ++i) {
    xml += "</b>";
  }
  xml += "</string></resources>";
  EXPECT_EQ(untranslated(*read_as("android", xml)), xml);
  (void)capitals(*read_as("android", xml));
  EXPECT_EQ(untranslated(*read_as("markdown", lists)), lists);
  EXPECT_EQ(untranslated(*read_as("markdown", emphasis)), emphasis);
  EXPECT_THAT(error_of<DataError>([&] { (void)read_as("json", lists); }), HasSubstr("file: line 1"));
  EXPECT_THAT(error_of<DataError>([&] { (void)read_as("yaml", lists); }), HasSubstr("file: line 1"));
}

}  // namespace
}  // namespace translate::tools

#include "pairs/formats/xml_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The bytes of a text in chunks of a few bytes.
class ShortChunks final : public ByteReader {
 public:
  explicit ShortChunks(std::string text) : text_(std::move(text)) {}

  std::string_view read() override {
    constexpr std::size_t kChunk = 7;
    const auto chunk = std::string_view(text_).substr(std::min(at_, text_.size()), kChunk);
    at_ += kChunk;
    return chunk;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::vector<SentencePair> pairs(const std::string& text, XmlPairFormat format, const LanguageCodes& languages) {
  const auto source = xml_pairs(std::make_unique<ShortChunks>(text), "my.xml", format, languages);
  std::vector<SentencePair> all;
  for (SentencePair pair; source->next(pair);) {
    all.push_back(pair);
  }
  return all;
}

std::vector<std::string> languages(const std::string& text, XmlPairFormat format) {
  return languages_of_xml(std::make_unique<ShortChunks>(text), "my.xml", format);
}

constexpr const char* kTmx = R"(<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US"/><body>
<tu><note>no text</note><tuv xml:lang="fr"><seg>Un <hi>chat</hi>
   noir.</seg></tuv><tuv lang="EN"><seg>A <bpt i="1">&lt;b></bpt>black<ept i="1">&lt;/b></ept> cat<ph><sub>x</sub></ph>.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>dog</seg></tuv><tuv xml:lang="de"><seg>Hund</seg></tuv><tuv xml:lang="fr"><seg/></tuv></tu>
</body></tmx>)";

TEST(XmlPairs, UnitsOfTmxAreReadWithoutTheirCodes) {
  EXPECT_THAT(languages(kTmx, XmlPairFormat::kTmx), ElementsAre("en-US", "fr", "de"));
  EXPECT_THAT(pairs(kTmx, XmlPairFormat::kTmx, {.source = "en", .target = "fr"}),
              ElementsAre(SentencePair{"A black cat.", "Un chat noir."}));
  EXPECT_THAT(pairs(kTmx, XmlPairFormat::kTmx, {.source = "de", .target = "en"}),
              ElementsAre(SentencePair{"Hund", "dog"}));
}

TEST(XmlPairs, UnitsOfXliffAreSourceAndTarget) {
  const std::string old = R"(<xliff version="1.2"><file source-language="en" target-language="de"><body>
<trans-unit id="1"><source>A <g id="1">cat</g><x id="2"/>.</source><target>Eine Katze.</target>
<alt-trans><source>x</source><target>y</target></alt-trans></trans-unit>
<trans-unit id="2"><source>Not yet</source></trans-unit></body></file></xliff>)";
  EXPECT_THAT(languages(old, XmlPairFormat::kXliff), ElementsAre("en", "de"));
  EXPECT_THAT(pairs(old, XmlPairFormat::kXliff, {.source = "en", .target = "de"}),
              ElementsAre(SentencePair{"A cat.", "Eine Katze."}));
  const std::string recent = R"(<xliff version="2.0" srcLang="en" trgLang="fr"><file id="f"><unit id="1">
<segment><source>One.</source><target>Un.</target></segment><ignorable><source> </source></ignorable>
<segment><source>Two.</source><target>Deux.</target></segment></unit></file></xliff>)";
  EXPECT_THAT(pairs(recent, XmlPairFormat::kXliff, {.source = "fr", .target = "en"}),
              ElementsAre(SentencePair{"Un.", "One."}, SentencePair{"Deux.", "Two."}));
}

TEST(XmlPairs, DamageIsNamedWithItsLine) {
  const auto text = std::string(kTmx);
  const LanguageCodes sides{.source = "en", .target = "fr"};
  const auto cut =
      testing::error_of<DataError>([&] { (void)pairs(text.substr(0, text.size() - 3), XmlPairFormat::kTmx, sides); });
  EXPECT_THAT(cut, HasSubstr("my.xml:8: not well-formed XML"));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)pairs("<html></html>", XmlPairFormat::kTmx, sides); }),
              HasSubstr("tmx"));
}

TEST(XmlPairs, EntitiesAreRefused) {
  for (const std::string value : {"\"aaaa\"", "SYSTEM \"/etc/passwd\""}) {
    const auto text = "<!DOCTYPE tmx [<!ENTITY a " + value + ">]>\n<tmx><body>&a;</body></tmx>";
    const auto error =
        testing::error_of<DataError>([&] { (void)pairs(text, XmlPairFormat::kTmx, {.source = "en", .target = "fr"}); });
    EXPECT_THAT(error, HasSubstr("my.xml:1: defines the entity a"));
  }
}

}  // namespace
}  // namespace translate

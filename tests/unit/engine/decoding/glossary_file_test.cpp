#include "decoding/glossary_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/error.h"
#include "segments/term_base.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

class GlossaryFileTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::filesystem::path write(const std::string& content) const {
    const auto path = folder_ / "terms.tsv";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  [[nodiscard]] std::vector<GlossaryTerm> read(const std::string& content) const {
    return read_glossary(write(content), {})->terms();
  }
  [[nodiscard]] std::string error(const std::string& content) const {
    const auto path = write(content);
    auto message = testing::error_of<DataError>([&] { static_cast<void>(read_glossary(path, {})); });
    return message.starts_with(path.string()) ? message.substr(path.string().size()) : message;
  }
};

TEST_F(GlossaryFileTest, HasATermALine) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "dog\tchien\r\n\n hot dog \t saucisse \ta note\tand another\nété\tsummer"),
            (std::vector<GlossaryTerm>{{"dog", "chien"}, {"hot dog", "saucisse"}, {"été", "summer"}}));
  EXPECT_TRUE(read_glossary(write(""), {})->is_empty());
}

TEST_F(GlossaryFileTest, FaultsNameFileAndLine) {
  EXPECT_EQ(error("dog\tchien\ncat\n"), ": line 2: no tab; expected SOURCE TERM<TAB>TARGET TERM");
  EXPECT_EQ(error("\tchien\n"), ": line 1: the source term is empty; expected SOURCE TERM<TAB>TARGET TERM");
  EXPECT_EQ(error("\n\ndog\t \n"), ": line 3: the target term is empty; expected SOURCE TERM<TAB>TARGET TERM");
  EXPECT_EQ(error("dog\t" + std::string(1001, 'a')),
            ": line 1: the target term has 1001 bytes; expected at most 1000; expected SOURCE TERM<TAB>TARGET TERM");
  EXPECT_NE(error("dog\tchi\xff"
                  "en\n")
                .find(":1: invalid UTF-8"),
            std::string::npos);
}

TEST_F(GlossaryFileTest, XmlUnderAnotherNameIsNoGlossaryOfLines) {
  EXPECT_EQ(error("<?xml version=\"1.0\"?>\n<martif/>\n"),
            ": line 1: no tab; expected SOURCE TERM<TAB>TARGET TERM, or TBX in a file whose name ends in .tbx");
}

TEST_F(GlossaryFileTest, TheSuffixTellsATermBase) {
  for (const auto* name : {"a.tbx", "a.b.TBX", "a.tbx.gz"}) {
    EXPECT_TRUE(is_term_base(folder_ / name)) << name;
  }
  for (const auto* name : {"tbx", "a.tbx.txt", "a.tsv", "a.tbx/b.tsv"}) {
    EXPECT_FALSE(is_term_base(folder_ / name)) << name;
  }
}

/// A term base with two concepts of the same source term.
std::string term_base() {
  const auto concept_of = [](const std::string& source, const std::string& target) {
    return "<termEntry><langSet xml:lang='en'><tig><term>" + source +
           "</term></tig></langSet><langSet xml:lang='fr'><tig><term>" + target +
           "</term></tig></langSet></termEntry>\n";
  };
  return "<martif><text><body>" + concept_of("dog", "chien") + concept_of("dog", "chenet") + "</body></text></martif>";
}

TEST_F(GlossaryFileTest, ATermBaseIsReadBetweenTheLanguagesOfTheModel) {
  const auto path = folder_ / "terms.tbx.gz";
  write_gzip(path, term_base());
  if (linked_term_base_reader() == nullptr) {
    EXPECT_EQ(testing::error_of<ConfigError>([&] { (void)read_glossary(path, {.source = "en", .target = "fr"}); }),
              path.string() +
                  ": this program was built without the reader of TBX (TRANSLATE_DOCUMENTS in "
                  "docs/install.md); give the terms as lines, SOURCE TERM<TAB>TARGET TERM");
    return;
  }
  ::testing::internal::CaptureStderr();
  const auto glossary = read_glossary(path, {.source = "en", .target = "fr"});
  EXPECT_NE(
      ::testing::internal::GetCapturedStderr().find("line 2: \"dog\" has another target than in line 1, which counts"),
      std::string::npos);
  EXPECT_EQ(find_terms("dog", {glossary}).front().target, "chien");
  EXPECT_NE(testing::error_of<ConfigError>([&] {
              (void)read_glossary(path, {.source = kUnknownSource, .target = kUnknownTarget});
            }).find("the model names no source language"),
            std::string::npos);
}

TEST_F(GlossaryFileTest, ATermBaseHasABound) {
  const auto path = folder_ / "terms.tbx.gz";
  write_gzip(path, std::string(kLargestDocument + 1, ' '));
  EXPECT_EQ(testing::error_of<DataError>([&] { (void)read_glossary(path, {.source = "en", .target = "fr"}); }),
            path.string() +
                ": larger than 64 MiB; expected a smaller file, or the terms as lines, SOURCE "
                "TERM<TAB>TARGET TERM");
}

TEST_F(GlossaryFileTest, ASecondTargetIsWarnedOf) {
  const auto path = write("dog\tchien\ncat\tchat\ndog\tchien\ndog\tclébard\ncat\tminou\n");
  ::testing::internal::CaptureStderr();
  const auto glossary = read_glossary(path, {});
  const auto told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("line 4: \"dog\" has another target than in line 1, which counts; so has 1 other line"),
            std::string::npos)
      << told;
  EXPECT_EQ(find_terms("dog", {glossary}).front().target, "chien");
}

}  // namespace
}  // namespace translate

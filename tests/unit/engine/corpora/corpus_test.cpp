#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "corpora/corpus_reader.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Corpus : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::vector<std::string> lines_of(const std::string& bytes) const {
    write_text(folder_ / "x.en", bytes);
    return read_lines(folder_ / "x.en");
  }
  [[nodiscard]] std::string error_of(const std::string& bytes) const {
    return testing::error_of<DataError>([&] { return lines_of(bytes); });
  }
  [[nodiscard]] CorpusFiles files(const std::string& name, const std::string& source, const std::string& target) const {
    write_text(folder_ / (name + ".en"), source);
    write_text(folder_ / (name + ".fr"), target);
    return {folder_ / (name + ".en"), folder_ / (name + ".fr")};
  }
};

TEST_F(Corpus, ReadsLinesWhateverTheirEnds) {
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\r\nb\r\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\r\nb\r"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\n\xEF\xBB\xBF"
                       "b\n"),
              ElementsAre("a",
                          "\xEF\xBB\xBF"
                          "b"));
  EXPECT_THAT(lines_of("a\n\n \nb\n\n"), ElementsAre("a", "", " ", "b", ""));
}

TEST_F(Corpus, EndsLinesAtNewlinesOnly) {
  EXPECT_THAT(lines_of("a\rb\x0b c\u2028d\u0085 e\n"), ElementsAre("a\rb\x0b c\u2028d\u0085 e"));
}

TEST_F(Corpus, FindsNoLineInAnEmptyFile) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"), IsEmpty());
}

TEST_F(Corpus, ReadsLinesLongerThanTheBuffer) {
  const std::string line(1000000, 'x');
  EXPECT_THAT(lines_of("a\n" + line + "\nb"), ElementsAre("a", line, "b"));
}

TEST_F(Corpus, NamesTheLineThatIsNoUtf8) {
  EXPECT_THAT(error_of("fine\nd\xE9j\xE0 vu\n"),
              AllOf(HasSubstr("x.en:2:"), HasSubstr("invalid UTF-8"), HasSubstr("byte 2"), HasSubstr("0xE9")));
  EXPECT_THAT(error_of("cut off \xC3"), AllOf(HasSubstr("x.en:1:"), HasSubstr("invalid UTF-8")));
  EXPECT_THAT(error_of("\xED\xA0\x80\n"), HasSubstr("x.en:1: invalid UTF-8"));
}

TEST_F(Corpus, NamesAFileOfAnotherFormat) {
  EXPECT_THAT(error_of(std::string("\xFF\xFE\x61\x00\x0A\x00", 6)), HasSubstr("x.en: is UTF-16; convert it: iconv"));
  EXPECT_THAT(error_of("PK\x03\x04 zipped"), HasSubstr("x.en: is a zip archive"));
  write_text(folder_ / "x.en", "BZh91AY&SY and so on\n");
  LineReader unchecked(folder_ / "x.en", LineCheck::kNone);
  std::string line;
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)unchecked.next(line); }), HasSubstr("is compressed by bzip2"));
}

TEST_F(Corpus, NamesTheLineWithANulByte) {
  EXPECT_THAT(error_of(std::string("one\ntwo\nth\0ree\n", 15)), AllOf(HasSubstr("x.en:3:"), HasSubstr("NUL")));
}

TEST_F(Corpus, JoinsCorporaAndRemembersWhereEachPairComesFrom) {
  const std::vector<CorpusFiles> parts{files("a", "one\ntwo\n", "un\ndeux"), files("b", "three\n", "trois\n")};
  const ParallelCorpus corpus = read_parallel_corpus(parts);
  EXPECT_THAT(corpus.source, ElementsAre("one", "two", "three"));
  EXPECT_THAT(corpus.target, ElementsAre("un", "deux", "trois"));
  EXPECT_EQ(describe_origin(corpus.origin[1], parts), (folder_ / "a.en:2").string());
  EXPECT_EQ(describe_origin(corpus.origin[2], parts), (folder_ / "b.en:1").string());
}

TEST_F(Corpus, NamesFilesOfUnequalLength) {
  const std::vector<CorpusFiles> parts{files("a", "one\ntwo\nthree\n", "un\ndeux\n")};
  try {
    (void)read_parallel_corpus(parts);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.en has 3 lines"), HasSubstr("a.fr has 2")));
  }
}

}  // namespace
}  // namespace translate

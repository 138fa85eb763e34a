#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "corpora/corpus_reader.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

class LineReaderFile : public TemporaryFolderTest {
 protected:
  [[nodiscard]] LineReader open(const std::string& bytes) const {
    write_text(folder_ / "x.en", bytes);
    return LineReader(folder_ / "x.en");
  }
};

TEST_F(LineReaderFile, CountsTheLinesItHasRead) {
  LineReader reader = open("one\n\nthree");
  std::string line;
  EXPECT_EQ(reader.lines(), 0U);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(reader.lines(), 1U);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.lines(), 3U);
}

TEST_F(LineReaderFile, GivesTheLinesBeforeAWrongOne) {
  LineReader reader = open("fine\nwr\xFFng\n");
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_THROW((void)reader.next(line), DataError);
}

TEST_F(LineReaderFile, RefusesALineWithoutAnEnd) {
  write_gzip(folder_ / "zeros.gz", "fine\n" + std::string(kLongestLine + 1, '\0'), "wb1");
  LineReader reader(folder_ / "zeros.gz");
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_THAT(error_of<DataError>([&] { (void)reader.next(line); }),
              HasSubstr("zeros.gz:2: the line has more than 67108864 bytes"));
}

TEST_F(LineReaderFile, ReadsLinesThatEndAtAnyPlaceOfTheBuffer) {
  std::string bytes;
  std::vector<std::string> expected;
  for (std::size_t length = 0; bytes.size() < 1'500'000; length = length * 2 + 1) {
    expected.emplace_back(length % 100'000, static_cast<char>('a' + length % 26));
    bytes += expected.back() + "\r\n";
  }
  LineReader reader = open(bytes);
  std::string line;
  for (const std::string& wanted : expected) {
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(line == wanted);
  }
  EXPECT_FALSE(reader.next(line));
}

}  // namespace
}  // namespace translate

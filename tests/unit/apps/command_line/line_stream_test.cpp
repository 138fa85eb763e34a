#include "apps/command_line/line_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class LineStreamTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::string file_of(const std::string& text) const {
    const auto path = folder_ / "text";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
};

Lines all(LineStream& stream, std::size_t at_once) {
  Lines lines;
  for (auto more = stream.read(at_once); !more.empty(); more = stream.read(at_once)) {
    EXPECT_LE(more.size(), at_once);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

TEST_F(LineStreamTest, GivesEveryLineAsItIsHoweverManyAreAskedFor) {
  std::string text;
  Lines expected;
  for (int i = 0; i < 5000; ++i) {  // more than one block of reading
    expected.push_back(std::string(static_cast<std::size_t>(i % 97), 'x') + std::to_string(i));
    text += expected.back() + "\n";
  }
  const auto path = file_of(text);
  for (const std::size_t at_once : {1, 7, 5000, 100000}) {
    LineStream stream(path);
    EXPECT_EQ(all(stream, at_once), expected) << at_once;
  }
}

TEST_F(LineStreamTest, DropsMarkAndCarriageReturnsAndNeedsNoLastNewline) {
  const auto lines_of = [&](const std::string& text) {
    LineStream stream(file_of(text));
    return all(stream, 10);
  };
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\r\n\r\nb\xEF\xBB\xBF\n c"),
            Lines({"a", "", "b\xEF\xBB\xBF", " c"}));
  EXPECT_EQ(lines_of(""), Lines());
  EXPECT_EQ(lines_of("\n"), Lines({""}));
  EXPECT_EQ(lines_of("a\n\n"), Lines({"a", ""}));
}

TEST_F(LineStreamTest, AFileOfAnotherFormatIsNamed) {
  const auto error = [&](const std::string& bytes, std::optional<ByteRange> range = std::nullopt) {
    const auto path = file_of(bytes);
    return testing::error_of<DataError>([&] { return LineStream(path, range).read(1); });
  };
  const std::string compressed = "\x28\xB5\x2F\xFD ab\ncd\n";
  const auto expected = (folder_ / "text").string() + ": is compressed by zstd; unpack it: zstd -d";
  EXPECT_EQ(error(compressed), expected);
  EXPECT_EQ(error(compressed, ByteRange{.begin = 8, .end = 11}), expected);  // of a shard
  EXPECT_NE(error("\xFF\xFE"
                  "a")
                .find("is UTF-16"),
            std::string::npos);
}

TEST_F(LineStreamTest, TellsHowMuchOfAFileItHandedOut) {
  LineStream stream(file_of("ab\ncd\nef"));
  EXPECT_EQ(stream.progress()->size, 8U);
  EXPECT_EQ(stream.progress()->done, 0U);
  (void)stream.read(1);
  EXPECT_EQ(stream.progress()->done, 3U);
  (void)stream.read(5);
  EXPECT_EQ(stream.progress()->done, 8U);
}

/// Who writes a line and waits for its translation must not have to write another one first.
TEST_F(LineStreamTest, DoesNotWaitForMoreThanTheFirstLineOfAPipe) {
  const auto path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int writer = ::open(path.c_str(), O_RDWR);  // both ends, so that neither open waits
  ASSERT_GE(writer, 0);
  LineStream stream(path.string());
  EXPECT_FALSE(stream.progress());
  ASSERT_EQ(::write(writer, "one\n", 4), 4);
  EXPECT_EQ(stream.read(1000), Lines({"one"}));
  ASSERT_EQ(::write(writer, "two\nthree\nfo", 12), 12);
  EXPECT_EQ(stream.read(1000), Lines({"two", "three"}));
  ASSERT_EQ(::write(writer, "ur\n", 3), 3);
  EXPECT_EQ(stream.read(1000), Lines({"four"}));
  ::close(writer);
}

TEST_F(LineStreamTest, SaysWhatCannotBeRead) {
  EXPECT_THROW(LineStream((folder_ / "none").string()), DataError);
  EXPECT_THROW(LineStream(folder_.string()), DataError);
}

TEST_F(LineStreamTest, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full here";
  }
  LineWriter writer("/dev/full");
  writer.write("text");
  EXPECT_THROW(writer.flush(), RuntimeError);
}

class LineWriterFiles : public TemporaryFolderTest {};

TEST_F(LineWriterFiles, AFileAppearsWhole) {
  const auto path = folder_ / "out";
  write_file_synced(path, "old\n");
  {
    LineWriter writer(path.string());
    writer.write("new");
    writer.flush();
    EXPECT_EQ(read_file(path), "old\n");
    EXPECT_EQ(read_file(path.string() + ".partial"), "new\n");
    writer.finish();
  }
  EXPECT_EQ(read_file(path), "new\n");
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".partial"));
}

TEST_F(LineWriterFiles, AfterAnEarlyEndTheResultsAreInThePartialFile) {
  const auto path = folder_ / "out";
  {
    LineWriter writer(path.string());
    writer.write("first");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(read_file(path.string() + ".partial"), "first\n");
}

}  // namespace
}  // namespace translate

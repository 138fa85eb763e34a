#include "command_line/line_stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
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

TEST_F(LineStreamTest, GivesTheRestAsItIs) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a\r\n\nb";
  EXPECT_EQ(LineStream(file_of(text)).read_rest(text.size()), text);
  EXPECT_EQ(LineStream(file_of("")).read_rest(1), "");
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)LineStream(file_of(text)).read_rest(text.size() - 1); }),
              HasSubstr("more than 7 bytes"));
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

TEST_F(LineStreamTest, UnpacksGzipOfFilesAndPipes) {
  std::string text = "\xEF\xBB\xBF";
  Lines expected;
  for (int i = 0; i < 50000; ++i) {
    expected.push_back(std::to_string(i * 2654435761U));
    text += expected.back() + "\r\n";
  }
  const auto path = (folder_ / "text").string();  // the name does not matter
  write_gzip(path, text);
  LineStream stream(path);
  EXPECT_EQ(all(stream, 1000), expected);
  EXPECT_EQ(stream.progress()->done, fs::file_size(path));
  EXPECT_EQ(stream.progress()->size, fs::file_size(path));
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << read_bytes(path); });
  LineStream of_pipe(pipe.string());
  EXPECT_EQ(all(of_pipe, 1000), expected);
  writer.join();
}

TEST_F(LineStreamTest, ReadsARangeOfTheTextInGzip) {
  const auto path = (folder_ / "text.gz").string();
  write_gzip(path, "one\ntwo\nthree\n");
  LineStream stream(path, ByteRange{.begin = 4, .end = 8});
  EXPECT_EQ(all(stream, 10), Lines({"two"}));
  EXPECT_EQ(stream.progress()->done, 4U);
  EXPECT_EQ(stream.progress()->size, 4U);
  LineStream empty(path, ByteRange{.begin = 8, .end = 8});
  EXPECT_EQ(all(empty, 10), Lines());
}

TEST_F(LineStreamTest, DamagedGzipIsAnError) {
  write_gzip(folder_ / "whole.gz", "one\ntwo\n");
  const auto whole = read_bytes(folder_ / "whole.gz");
  const auto error = [&](const std::string& bytes) {
    LineStream stream(file_of(bytes));
    return testing::error_of<DataError>([&] { (void)all(stream, 1); });
  };
  EXPECT_THAT(error(whole.substr(0, whole.size() - 3)), HasSubstr("text: line 3: truncated gzip data"));
  EXPECT_THAT(error(whole + "three\n"), HasSubstr("text: line 3: damaged gzip data (other data follows it)"));
}

TEST_F(LineStreamTest, ALineWithoutAnEndIsAnError) {
  const auto path = (folder_ / "zeros.gz").string();
  write_gzip(path, "fine\n" + std::string(kLongestLine + 1, '\0'), "wb1");
  LineStream stream(path);
  EXPECT_EQ(stream.read(1), Lines({"fine"}));
  EXPECT_THAT(testing::error_of<DataError>([&] { (void)stream.read(1); }),
              HasSubstr("zeros.gz: line 2: the line has more than 67108864 bytes"));
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

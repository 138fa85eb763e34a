#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/error.h"
#include "corpora/corpus_reader.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class GzipReaderFile : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::string read_all(const std::string& name) const {
    GzipReader reader(folder_ / name);
    std::string content;
    for (std::string_view bytes = reader.read(); !bytes.empty(); bytes = reader.read()) {
      content += bytes;
    }
    return content;
  }
  [[nodiscard]] std::string error_of(const std::string& name) const {
    return testing::error_of<DataError>([&] { return read_all(name); });
  }
  /// Larger than any buffer, and not to be packed much.
  static std::string long_text() {
    std::string text;
    for (std::uint64_t i = 0; i < 200000; ++i) {
      text += std::to_string(i * i * 2654435761U) + (i % 5 == 0 ? "\n" : " ");
    }
    return text;
  }
};

TEST_F(GzipReaderFile, ReadsPlainAndPackedFilesAlike) {
  const std::string text = long_text();
  write_text(folder_ / "plain.gz", text);  // the name does not matter
  write_gzip(folder_ / "packed.txt", text);
  EXPECT_EQ(read_all("plain.gz"), text);
  EXPECT_EQ(read_all("packed.txt"), text);
}

TEST_F(GzipReaderFile, ReadsSeveralMembers) {
  write_gzip(folder_ / "x.gz", "one\n");
  write_gzip(folder_ / "x.gz", "two\n", "ab");
  EXPECT_EQ(read_all("x.gz"), "one\ntwo\n");
}

TEST_F(GzipReaderFile, ReadsEmptyFiles) {
  write_text(folder_ / "plain", "");
  write_gzip(folder_ / "packed", "");
  EXPECT_EQ(read_all("plain"), "");
  EXPECT_EQ(read_all("packed"), "");
}

TEST_F(GzipReaderFile, NoticesATruncationAnywhere) {
  write_gzip(folder_ / "x.gz", "The cat sat.\nLe chat s'est assis.\n");
  const std::string whole = read_bytes(folder_ / "x.gz");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    write_text(folder_ / "cut.gz", whole.substr(0, size));
    EXPECT_THAT(error_of("cut.gz"), AllOf(HasSubstr("cut.gz:"), HasSubstr("truncated gzip"))) << size << " bytes";
  }
}

TEST_F(GzipReaderFile, SaysNearWhichLineALongFileEnds) {
  const std::string text = long_text();
  write_gzip(folder_ / "x.gz", text);
  const std::string whole = read_bytes(folder_ / "x.gz");
  write_text(folder_ / "cut.gz", whole.substr(0, whole.size() / 2));
  const std::string message = error_of("cut.gz");
  const int line = std::stoi(message.substr(message.find("cut.gz:") + 7));
  EXPECT_GT(line, 10000);
  EXPECT_LT(line, 25000);
}

TEST_F(GzipReaderFile, NoticesDamage) {
  write_gzip(folder_ / "x.gz", "The cat sat.\nLe chat s'est assis.\n");
  const std::string whole = read_bytes(folder_ / "x.gz");
  for (std::size_t position = 10; position < whole.size(); ++position) {
    std::string damaged = whole;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x55);
    write_text(folder_ / "bad.gz", damaged);
    EXPECT_THAT(error_of("bad.gz"), AllOf(HasSubstr("bad.gz:"), HasSubstr("gzip data"))) << "byte " << position;
  }
}

TEST_F(GzipReaderFile, ReadsNoOtherDataBehindTheLastMember) {
  write_gzip(folder_ / "x.gz", "The cat sat.\n");
  const std::string whole = read_bytes(folder_ / "x.gz");
  write_text(folder_ / "longer.gz", whole + "Le chat.\n");
  EXPECT_THAT(error_of("longer.gz"), AllOf(HasSubstr("longer.gz:2: damaged gzip data"), HasSubstr("gzip -t")));
  write_text(folder_ / "padded.gz", whole + std::string(1000, '\0') + whole);  // as tapes have it
  EXPECT_EQ(read_all("padded.gz"), "The cat sat.\nThe cat sat.\n");
}

TEST_F(GzipReaderFile, NamesWhatCannotBeRead) {
  EXPECT_THAT(error_of("missing.en"), AllOf(HasSubstr("missing.en"), HasSubstr("No such file")));
  EXPECT_THAT(error_of("."), AllOf(HasSubstr("cannot read"), HasSubstr("Is a directory")));
}

/// Lets this process open no more files for the lifetime of the object.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {.rlim_cur = 0, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_ = {};
};

TEST_F(GzipReaderFile, TheUserIsNotBlamedForALackOfOpenFiles) {
  write_text(folder_ / "text", "a line\n");
  std::string found;
  {
    const NoMoreFiles none;
    found = testing::error_of<RuntimeError>([&] { return read_all("text"); });
  }
  EXPECT_THAT(found, AllOf(HasSubstr("cannot read"), HasSubstr("Too many open files")));
  EXPECT_THAT(error_of("missing"), HasSubstr("No such file"));
}

}  // namespace
}  // namespace translate

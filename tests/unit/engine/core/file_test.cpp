#include "core/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/file_lock.h"
#include "core/output_file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class FileTest : public TemporaryFolderTest {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
};

std::string error_of(const std::function<void()>& action) { return testing::error_of<RuntimeError>(action); }

TEST_F(FileTest, MakesAFolderWithThoseAboveItAndTellsWhetherItIsNew) {
  EXPECT_TRUE(make_folder(folder_ / "a" / "b"));
  EXPECT_TRUE(fs::is_directory(folder_ / "a" / "b"));
  EXPECT_FALSE(make_folder(folder_ / "a" / "b"));
  std::ofstream(folder_ / "file") << "x";
  try {
    make_folder(folder_ / "file" / "c");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.what(), "cannot make the folder " + (folder_ / "file" / "c").string() + ": Not a directory");
  }
}

TEST_F(FileTest, NormalizedPathsEndInAName) {
  EXPECT_EQ(normalized_path("a/b/"), "a/b");
  EXPECT_EQ(normalized_path("./a//b/../c/./"), "a/c");
  EXPECT_EQ(normalized_path("a"), "a");
  EXPECT_EQ(normalized_path("/a/"), "/a");
  EXPECT_EQ(normalized_path("/"), "/");
}

TEST_F(FileTest, ReadsNeitherEndlessDevicesNorHugeFilesAsAWhole) {
  EXPECT_THAT(error_of([] { (void)read_file("/dev/zero"); }),
              ::testing::HasSubstr("/dev/zero: it has more than 64 MiB"));
  write_file_synced(folder_ / "sparse", "");
  std::filesystem::resize_file(folder_ / "sparse", (std::uintmax_t{1} << 30U) + 1);
  EXPECT_THAT(error_of([&] { (void)read_file(folder_ / "sparse"); }), ::testing::HasSubstr("more than 1024 MiB"));
}

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  std::string bytes(3'000'000, '\0');
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    bytes[index] = static_cast<char>(index * 7);
  }
  for (const std::string& content : {std::string(), std::string("a\0b\n", 4), bytes}) {
    write_file_synced(folder_ / "synced", content);
    write_file_atomically(folder_ / "atomic", content);
    EXPECT_EQ(read_file(folder_ / "synced"), content);
    EXPECT_EQ(read_file(folder_ / "atomic"), content);
  }
  EXPECT_EQ(names().size(), 2);  // no temporary file stays
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  const fs::path missing = folder_ / "missing";
  EXPECT_EQ(error_of([&] { (void)read_file(missing); }),
            "cannot open " + missing.string() + ": No such file or directory");
  EXPECT_EQ(error_of([&] { (void)read_file(folder_); }), "cannot read " + folder_.string() + ": Is a directory");
  EXPECT_EQ(error_of([&] { (void)crc32_of_file(missing); }),
            "cannot open " + missing.string() + ": No such file or directory");
  EXPECT_EQ(error_of([] { write_file_synced("/dev/full", "x"); }), "cannot write /dev/full: No space left on device");
}

TEST_F(FileTest, FailedAtomicWriteLeavesTheOldContentAndNoTemporaryFile) {
  const fs::path path = folder_ / "taken";
  fs::create_directory(path);
  std::ofstream(path / "inside") << "kept";
  EXPECT_EQ(error_of([&] { write_file_atomically(path, "new"); }),
            "cannot write " + path.string() + ": Is a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"taken"});
  EXPECT_EQ(read_file(path / "inside"), "kept");
  const fs::path nowhere = folder_ / "none" / "file";  // the temporary file cannot be made, which users do not know of
  EXPECT_EQ(error_of([&] { write_file_atomically(nowhere, "new"); }),
            "cannot write " + nowhere.string() + ": No such file or directory");
}

TEST_F(FileTest, FindsTheTemporaryFilesOfKilledWriters) {
  write_file_atomically(folder_ / "config.json", "whole");
  EXPECT_TRUE(temporary_files_in(folder_).empty());
  write_file_synced(folder_ / "config.json.tmp-123-4", "hal");
  fs::create_directory(folder_ / ".tmp-folder-123");
  EXPECT_EQ(temporary_files_in(folder_), std::vector<fs::path>{folder_ / "config.json.tmp-123-4"});
  EXPECT_TRUE(temporary_files_in(folder_ / "missing").empty());
}

TEST_F(FileTest, AtomicWriteLeavesLinksAndPipesWhatTheyAre) {
  const fs::path file = folder_ / "file";
  const fs::path link = folder_ / "link";
  const fs::path pipe = folder_ / "pipe";
  std::ofstream(file) << "older and longer";
  fs::create_symlink(file, link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  write_file_atomically(pipe, "new");
  std::string piped(16, '\0');
  piped.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(reader.number(), piped.data(), piped.size()), 0)));
  EXPECT_EQ(piped, "new");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(FileTest, ChecksumIsTheUsualOne) {
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);  // the check value that catalogues of checksums give for CRC-32
  const std::string bytes(2'500'000, 'x');
  write_file_synced(folder_ / "file", bytes);
  EXPECT_EQ(crc32_of_file(folder_ / "file"), crc32(bytes));
}

TEST_F(FileTest, LockKeepsASecondHolderOutUntilItIsReleased) {
  const fs::path path = folder_ / "lock";
  {
    const auto first = FileLock::try_lock(path);
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(FileLock::try_lock(path).has_value());
    EXPECT_EQ(read_file(path), std::to_string(::getpid()) + "\n");
  }
  EXPECT_TRUE(FileLock::try_lock(path).has_value());
}

TEST_F(FileTest, LockOfAKilledProcessIsFree) {
  const fs::path path = folder_ / "lock";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::try_lock(path);
    if (::write(ready[1], lock ? "y" : "n", 1) != 1) {
      ::_exit(1);
    }
    for (;;) {
      ::pause();
    }
  }
  char answer = '?';
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(FileLock::try_lock(path).has_value());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FileLock::try_lock(path).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FileTest, LockInAMissingFolderIsAnError) {
  EXPECT_EQ(error_of([&] { (void)FileLock::try_lock(folder_ / "none" / "lock"); }),
            "cannot open the lock file " + (folder_ / "none" / "lock").string() + ": No such file or directory");
}

TEST_F(FileTest, AppenderKeepsWholeLinesAndCutsAPartialOne) {
  const fs::path path = folder_ / "metrics.jsonl";
  LineAppender(path).append("one");
  LineAppender(path).append("two");
  EXPECT_EQ(read_file(path), "one\ntwo\n");
  std::ofstream(path, std::ios::app) << "thr";  // as a kill in the middle of a write leaves it
  LineAppender(path).append("three");
  EXPECT_EQ(read_file(path), "one\ntwo\nthree\n");
  write_file_synced(path, "only a part");
  LineAppender(path).append("first");
  EXPECT_EQ(read_file(path), "first\n");
}

TEST_F(FileTest, AppenderRefusesAFolder) {
  EXPECT_EQ(error_of([&] { LineAppender(folder_).append("x"); }),
            "cannot write " + folder_.string() + ": Is a directory");
}

TEST(PathError, TellsTheFaultsOfAPathFromThoseOfTheSystem) {
  EXPECT_TRUE(is_fault_of_path(ENOENT) && is_fault_of_path(EACCES) && is_fault_of_path(EISDIR));
  EXPECT_FALSE(is_fault_of_path(EMFILE) || is_fault_of_path(ENOMEM) || is_fault_of_path(EIO));
  EXPECT_THROW((void)read_file("/missing"), PathError);
  EXPECT_THROW(throw_read_error("a", ENOENT), DataError);
  EXPECT_THROW(throw_read_error("a", EMFILE), RuntimeError);
}

TEST_F(FileTest, AppenderReadsNothingFromDevicesAndPipes) {
  LineAppender("/dev/null").append("lost");
  LineAppender("/dev/zero").append("lost");  // has no end
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { LineAppender(pipe).append("x"); }),
            "cannot write " + pipe.string() + ": No such device or address")
      << "nobody reads it";
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  LineAppender(pipe).append("a line");
  std::string read(6, '\0');
  EXPECT_EQ(::read(reader, read.data(), read.size()), 6);
  EXPECT_EQ(read, "a line");
  ::close(reader);
}

}  // namespace
}  // namespace translate

#include "core/stable_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

class StableFileTest : public TemporaryFolderTest {
 protected:
  void write(const std::string& content) const { write_file_synced(path_, content); }

  static std::string error_of(const std::function<void()>& action) { return testing::error_of<RuntimeError>(action); }

  /// A moment later by the file system's clock.
  void age() const {
    std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }

  std::filesystem::path path_ = folder_ / "x";
  std::string changed_ = path_.string() + ": was changed while this program read it; start again once it is whole";
};

TEST_F(StableFileTest, ReadsAnyPart) {
  const std::string content = std::string("a\0b", 3).append(100'000, 'c') + "end";
  write(content);
  const StableFile file(path_);
  EXPECT_EQ(file.size(), content.size());
  EXPECT_EQ(file.read_all(), content);
  std::string part(4, '\0');
  file.read(content.size() - 4, part);
  EXPECT_EQ(part, "cend");
  write("");
  EXPECT_EQ(StableFile(path_).read_all(), "");
}

TEST_F(StableFileTest, OutlivesItsName) {
  write("some text");
  const StableFile file(path_);
  std::filesystem::rename(path_, folder_ / "y");
  EXPECT_EQ(file.read_all(), "some text");
  std::filesystem::remove(folder_ / "y");
  EXPECT_EQ(file.read_all(), "some text");
}

TEST_F(StableFileTest, AFileThatIsCutGrowsOrIsOverwrittenIsAnError) {
  for (const std::string content : {"", "some", "some text and more", "same size"}) {
    write("some text");
    age();
    const StableFile file(path_);
    EXPECT_EQ(file.read_all(), "some text");
    write(content);
    std::string part(1, '\0');
    EXPECT_EQ(error_of([&] { file.read(0, part); }), changed_) << content;
    EXPECT_EQ(error_of([&] { (void)file.read_all(); }), changed_) << content;
    EXPECT_EQ(error_of([&] { file.check_unchanged(); }), changed_) << content;
  }
}

TEST_F(StableFileTest, OpensTheFileOfAStampAlone) {
  write("some text");
  const FileStamp stamp = StableFile(path_).stamp();
  EXPECT_EQ(StableFile(path_, stamp).read_all(), "some text");
  write_file_atomically(path_, "some text");
  EXPECT_EQ(error_of([&] { StableFile(path_, stamp); }), changed_);
}

TEST_F(StableFileTest, WhatIsNoFileIsRefusedWithTheReason) {
  EXPECT_EQ(error_of([&] { StableFile{path_}; }), path_.string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { StableFile{folder_}; }), folder_.string() + ": cannot be read: Is a directory");
  EXPECT_EQ(error_of([&] { StableFile{"/dev/null"}; }),
            "/dev/null: cannot be read: it is a pipe or a device, expected a file");
}

}  // namespace
}  // namespace translate

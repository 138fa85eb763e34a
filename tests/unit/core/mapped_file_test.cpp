#include "translate/core/mapped_file.h"

#include <gtest/gtest.h>

#include <string>

#include "translate/core/error.h"
#include "translate/core/file.h"
#include "unit/text/temporary_folder.h"

namespace translate {
namespace {

class MappedFileTest : public TemporaryFolderTest {
 protected:
  void write(const std::string& content) const { write_file_synced(path_, content); }

  /// The text of the error where the path cannot be mapped.
  static std::string error_of(const std::filesystem::path& path) {
    try {
      const MappedFile file(path);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path path_ = folder_ / "x";
};

TEST_F(MappedFileTest, ShowsTheWholeFile) {
  const std::string content = std::string("a\0b", 3).append(100'000, 'c');
  write(content);
  const MappedFile file(path_);
  EXPECT_EQ(file.size(), content.size());
  EXPECT_EQ(file.bytes(), content);
  EXPECT_EQ(MappedFile(path_, MappedAccess::kReadOnly).bytes(), content);
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  write("");
  EXPECT_EQ(MappedFile(path_).bytes(), "");
  EXPECT_EQ(MappedFile(path_, MappedAccess::kReadOnly).bytes(), "");
}

TEST_F(MappedFileTest, WhatIsWrittenThereNeverReachesTheFile) {
  write("before");
  const MappedFile file(path_);
  file.data()[0] = 'B';
  EXPECT_EQ(file.bytes(), "Before");
  EXPECT_EQ(read_file(path_), "before");
}

TEST_F(MappedFileTest, WhatIsNoFileIsRefusedWithTheReason) {
  EXPECT_EQ(error_of(path_), path_.string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of(folder_), folder_.string() + ": cannot be read: Is a directory");
  EXPECT_EQ(error_of("/dev/null"), "/dev/null: cannot be read: Invalid argument");
}

}  // namespace
}  // namespace translate

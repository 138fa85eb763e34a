#include "translate/checkpoint/mapped_file.h"

#include <gtest/gtest.h>

#include <string>

#include "checkpoint_fixture.h"

namespace translate {
namespace {

class MappedFileTest : public CheckpointFixture {
 protected:
  std::filesystem::path path_ = folder_ / "x";
};

TEST_F(MappedFileTest, ShowsTheWholeFile) {
  const std::string content = std::string("a\0b", 3).append(100'000, 'c');
  write_quickly(path_, content);
  const MappedFile file(path_);
  EXPECT_EQ(file.size(), content.size());
  EXPECT_EQ(file.bytes(), content);
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  write_quickly(path_, "");
  EXPECT_EQ(MappedFile(path_).bytes(), "");
}

TEST_F(MappedFileTest, WhatIsWrittenThereNeverReachesTheFile) {
  write_quickly(path_, "before");
  const MappedFile file(path_);
  file.data()[0] = 'B';
  EXPECT_EQ(file.bytes(), "Before");
  EXPECT_EQ(read_file(path_), "before");
}

TEST_F(MappedFileTest, WhatIsNoFileIsRefusedWithTheReason) {
  EXPECT_EQ(error_of<CheckpointError>([&] { MappedFile{path_}; }),
            path_.string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of<CheckpointError>([&] { MappedFile{folder_}; }),
            folder_.string() + ": cannot be read: Is a directory");
  EXPECT_EQ(error_of<CheckpointError>([] { MappedFile{"/dev/null"}; }), "/dev/null: cannot be read: Invalid argument");
}

}  // namespace
}  // namespace translate

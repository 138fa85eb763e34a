#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace translate {

/// A fixture with an empty folder of its own, removed at the end.
class TemporaryFolderTest : public ::testing::Test {
 protected:
  TemporaryFolderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "translate-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", pattern, {});
    folder_ = pattern;
  }
  ~TemporaryFolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path folder_;
};

}  // namespace translate

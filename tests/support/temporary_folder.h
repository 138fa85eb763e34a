#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "core/temporary_folder.h"

namespace translate {

/// A fixture with an empty folder of its own, removed with the object; `folder_` is its path without symbolic links.
class TemporaryFolderTest : public ::testing::Test {
 private:
  TemporaryFolder temporary_;

 protected:
  const std::filesystem::path folder_ = std::filesystem::canonical(temporary_.path());
};

}  // namespace translate

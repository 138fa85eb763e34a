#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class FindConfigTest : public TemporaryFolderTest {
 protected:
  FindConfigTest() {
    fs::create_directories(folder_ / "here");
    fs::current_path(folder_ / "here");
    fs::create_directories(program_folder());
  }
  ~FindConfigTest() override { fs::current_path(before_); }

  fs::path program_folder() const { return folder_ / "checkout/build/release/bin"; }

  void put(const fs::path& path) const {
    fs::create_directories((folder_ / path).parent_path());
    write_file_synced(folder_ / path, "{}");
  }

  std::string error_of(const std::string& name) const {
    return testing::error_of<ConfigError>([&] { return find_config(name, program_folder()); });
  }

  const fs::path before_ = fs::current_path();
};

TEST_F(FindConfigTest, LooksInEachPlaceInItsOrder) {
  put("checkout/configs/a.json");
  EXPECT_EQ(find_config("a.json", program_folder()), folder_ / "checkout/configs/a.json");
  put("checkout/build/release/share/translate/configs/a.json");
  EXPECT_EQ(find_config("a.json", program_folder()), folder_ / "checkout/build/release/share/translate/configs/a.json");
  put("here/configs/a.json");
  EXPECT_EQ(find_config("a.json", program_folder()), "configs/a.json");
  put("here/a.json");
  EXPECT_EQ(find_config("a.json", program_folder()), "a.json");
}

TEST_F(FindConfigTest, NameWithAFolderIsTakenAsGiven) {
  put("checkout/configs/sub/a.json");
  put("here/sub/b.json");
  EXPECT_EQ(find_config("sub/b.json", program_folder()), "sub/b.json");
  EXPECT_EQ(find_config((folder_ / "here/sub/b.json").string(), program_folder()), folder_ / "here/sub/b.json");
  EXPECT_EQ(error_of("sub/a.json"), "there is no configuration file \"sub/a.json\" (looked for sub/a.json)");
}

TEST_F(FindConfigTest, ErrorListsThePlacesAndTheNearestName) {
  put("checkout/configs/en-fr.json");
  EXPECT_EQ(error_of("en-fe.json"),
            "there is no configuration file \"en-fe.json\" (looked for en-fe.json, "
            "configs/en-fe.json, " +
                (folder_ / "checkout/build/release/share/translate/configs/en-fe.json").string() + ", " +
                (folder_ / "checkout/configs/en-fe.json").string() + "); did you mean `en-fr.json`?");
  EXPECT_EQ(error_of("").find("there is no configuration file \"\""), 0);
}

TEST_F(FindConfigTest, FolderIsNoFile) {
  fs::create_directories("a.json");
  put("here/configs/a.json");
  EXPECT_EQ(find_config("a.json", program_folder()), "configs/a.json");
}

}  // namespace
}  // namespace translate

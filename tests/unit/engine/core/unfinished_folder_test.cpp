#include "core/unfinished_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class UnfinishedFolderTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
};

TEST_F(UnfinishedFolderTest, HasItsNameOnlyWhenFinished) {
  {
    const UnfinishedFolder unfinished(folder_ / "a");
    write_file_synced(unfinished.path() / "file", "new");
    EXPECT_FALSE(fs::exists(folder_ / "a"));
    unfinished.finish();
  }
  EXPECT_EQ(read_file(folder_ / "a" / "file"), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(UnfinishedFolderTest, IsRemovedIfItIsNotFinished) {
  std::optional<UnfinishedFolder> unfinished(std::in_place, folder_ / "a");
  write_file_synced(unfinished->path() / "file", "new");
  unfinished.reset();
  EXPECT_EQ(entries(), 0);
}

TEST_F(UnfinishedFolderTest, ReplacesAFolderOfItsName) {
  make_folder(folder_ / "a");
  write_file_synced(folder_ / "a" / "old", "old");
  {
    const UnfinishedFolder unfinished(folder_ / "a");
    write_file_synced(unfinished.path() / "file", "new");
    EXPECT_TRUE(fs::exists(folder_ / "a" / "old"));
    unfinished.finish();
  }
  EXPECT_FALSE(fs::exists(folder_ / "a" / "old"));
  EXPECT_EQ(read_file(folder_ / "a" / "file"), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(UnfinishedFolderTest, OutputsReplaceOnlyTheirKindAndOnlyIfTold) {
  const OutputKind kind = {.name = "a pair", .matches = [](const fs::path& path) { return fs::exists(path / "left"); }};
  EXPECT_EQ(checked_output(folder_ / "x/../new/", false, kind), folder_ / "new");
  make_folder(folder_ / "pair" / "left");
  make_folder(folder_ / "other");
  const auto refusal = [&](const fs::path& output, bool replace) {  // without the path at its start
    const auto error = testing::error_of<ConfigError>([&] { (void)checked_output(folder_ / output, replace, kind); });
    return error.substr(error.find_first_of(" :", folder_.string().size()));
  };
  EXPECT_EQ(refusal("pair", false), " exists already: choose another name, or replace it with --force");
  EXPECT_EQ(checked_output(folder_ / "pair/", true, kind), folder_ / "pair");
  EXPECT_EQ(refusal("other", true), " is not a pair, so --force does not replace it; choose another name");
  EXPECT_EQ(refusal("no/pair", true), ": there is no such folder; create it first");
}

TEST_F(UnfinishedFolderTest, OutputsHaveAName) {
  const OutputKind kind = {.name = "a pair", .matches = [](const fs::path&) { return true; }};
  for (const auto* const nameless : {"", ".", "./", "..", "a/..", "/"}) {
    EXPECT_EQ(testing::error_of<ConfigError>([&] { (void)checked_output(nameless, true, kind); }),
              '"' + std::string(nameless) + "\" is not the name of an output");
  }
}

TEST_F(UnfinishedFolderTest, NamesAFolderThatCannotBeWritten) {
  EXPECT_THAT(testing::error_of<RuntimeError>([&] { UnfinishedFolder(folder_ / "no" / "a"); }),
              ::testing::AllOf(::testing::HasSubstr("cannot write "), ::testing::HasSubstr("No such file")));
}

}  // namespace
}  // namespace translate

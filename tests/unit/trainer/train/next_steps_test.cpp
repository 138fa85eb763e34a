#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.h"
#include "train/train_program.h"

namespace translate::trainer {
namespace {

namespace fs = std::filesystem;

TEST(ShellWord, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_word("runs/my-1_2.3"), "runs/my-1_2.3");
  EXPECT_EQ(shell_word("a run"), "'a run'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word("~x"), "'~x'");
  EXPECT_EQ(shell_word("é"), "'é'");
  EXPECT_EQ(shell_word(""), "''");
}

class CommandOf : public TemporaryFolderTest {
 protected:
  CommandOf() {
    for (const auto* folder : {"bin", "other"}) {
      fs::create_directories(folder_ / folder);
      std::ofstream(folder_ / folder / "program") << "";
    }
    fs::create_directories(folder_ / "empty");
  }

  [[nodiscard]] std::string command(const std::string& search_path) const {
    return command_of("program", folder_ / "bin", search_path);
  }

  std::string bin_ = (folder_ / "bin").string();
  std::string other_ = (folder_ / "other").string();
  std::string empty_ = (folder_ / "empty").string();
};

TEST_F(CommandOf, ItsNameWhereTheShellFindsIt) {
  EXPECT_EQ(command(bin_), "program");
  EXPECT_EQ(command("/nowhere:" + empty_ + "::" + bin_ + ":" + other_), "program");
  fs::create_directory_symlink(folder_ / "bin", folder_ / "link");
  EXPECT_EQ(command((folder_ / "link").string()), "program");
}

TEST_F(CommandOf, ItsPathWhereTheShellFindsNoneOrAnother) {
  EXPECT_EQ(command(""), bin_ + "/program");
  EXPECT_EQ(command(empty_), bin_ + "/program");
  EXPECT_EQ(command(other_ + ":" + bin_), bin_ + "/program");
}

TEST_F(CommandOf, ThePathIsRelativeWithinTheCurrentFolder) {
  const auto here = fs::current_path();
  EXPECT_EQ(command_of("program", here / "build/my bin", ""), "'build/my bin/program'");
  EXPECT_EQ(command_of("program", here, ""), "./program");
}

}  // namespace
}  // namespace translate::trainer

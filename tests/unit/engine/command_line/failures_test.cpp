#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "command_line/program.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class ProgramFailures : public TemporaryFolderTest {};

/// The exit code of a program that fails, and its message.
std::pair<int, std::string> failure(const std::function<int()>& body) {
  CLI::App app("", "translate-test");
  std::string name = "translate-test";
  char* argv = name.data();
  ::testing::internal::CaptureStderr();
  const int code = run_program(app, 1, &argv, body);
  const auto text = ::testing::internal::GetCapturedStderr();
  return {code, text.substr(std::min(text.find(' ') + 1, text.size()))};
}

TEST_F(ProgramFailures, AnErrorOfTheFileSystemNamesThePath) {
  const auto name = (folder_ / std::string(300, 'x')).string();
  const auto too_long = failure([&] { return fs::exists(name) ? 0 : 3; });
  EXPECT_EQ(too_long, std::pair(2, "error: " + name + ": File name too long\n"));
  const auto loop = folder_ / "loop";
  fs::create_symlink("loop", loop);
  const auto endless = failure([&] { return fs::is_directory(loop / "a") ? 0 : 3; });
  EXPECT_EQ(endless, std::pair(1, "error: " + (loop / "a").string() + ": Too many levels of symbolic links\n"));
}

}  // namespace
}  // namespace translate

#include "core/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "core/error.h"
#include "core/system/system_calls.h"

namespace translate {

void open_missing_standard_streams() noexcept {
  const auto open_where_missing = [](int number, int flags) {
    if (::fcntl(number, F_GETFD) < 0) {
      static_cast<void>(::open("/dev/null", flags));  // gets the lowest free number
    }
  };
  open_where_missing(STDIN_FILENO, O_WRONLY);
  open_where_missing(STDOUT_FILENO, O_RDONLY);  // results must not get lost without an error
  open_where_missing(STDERR_FILENO, O_WRONLY);
}

void ignore_broken_pipes() noexcept { (void)std::signal(SIGPIPE, SIG_IGN); }

void ignore_file_size_signals() noexcept { (void)std::signal(SIGXFSZ, SIG_IGN); }

std::filesystem::path executable_path(const std::filesystem::path& root) {
  std::error_code error;
  auto path = std::filesystem::read_symlink(root / "proc/self/exe", error);
  if (!error) {
    return path;
  }
  path = std::filesystem::canonical(started_path(), error);
  if (error) {
    throw RuntimeError("cannot find the folder of this program: /proc is not mounted");
  }
  return path;
}

std::filesystem::path executable_dir() { return executable_path().parent_path(); }

}  // namespace translate

#include "core/child.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace translate {

Child::~Child() {
  if (!waited_) {
    (void)::kill(id_, SIGKILL);
    (void)wait();
  }
}

int Child::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  waited_ = true;
  return status;
}

std::string end_in_words(int status) {
  return WIFSIGNALED(status)
             ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace translate

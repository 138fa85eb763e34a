#include "translate/core/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace translate {

void open_missing_standard_streams() noexcept {
  const auto open_where_missing = [](int number, int flags) {
    if (::fcntl(number, F_GETFD) < 0) static_cast<void>(::open("/dev/null", flags));  // takes the lowest free number
  };
  open_where_missing(STDIN_FILENO, O_WRONLY);
  open_where_missing(STDOUT_FILENO, O_RDONLY);  // results must not get lost without an error
  open_where_missing(STDERR_FILENO, O_WRONLY);
}

}  // namespace translate

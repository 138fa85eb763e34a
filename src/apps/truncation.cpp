#include "translate/apps/truncation.h"

#include <fmt/format.h>

#include "translate/core/logging.h"

namespace translate {

void warn_of_truncation(std::int64_t count) {
  if (count > 0) {
    log_warning(
        fmt::format("{} translation{} reached the length limit (decoding.max_length, decoding.max_length_ratio) "
                    "before the end and {} given as far as that",
                    count, count == 1 ? "" : "s", count == 1 ? "is" : "are"));
  }
}

}  // namespace translate

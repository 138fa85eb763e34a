#include "core/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "core/environment.h"
#include "core/error.h"

namespace translate {

TemporaryFolder::TemporaryFolder() {
  const auto variable = environment_variable("TMPDIR");
  const std::filesystem::path place = variable.value_or("/tmp");
  std::string pattern = (place / "translate-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw RuntimeError(
        fmt::format("cannot make a temporary folder in {}{}: {}; set TMPDIR to a folder that can be written",
                    place.string(), variable ? " (TMPDIR)" : "", std::generic_category().message(errno)));
  }
  path_ = pattern;
  removed_at_stop_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace translate

#include "translate/apps/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "translate/core/error.h"

namespace translate {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const auto place = std::filesystem::temp_directory_path(error);
  std::string pattern = (place / "translate-XXXXXX").string();
  if (!error && ::mkdtemp(pattern.data()) == nullptr) {
    error.assign(errno, std::generic_category());
  }
  if (error) {
    const char* variable = std::getenv("TMPDIR");
    const std::string name = variable == nullptr ? "/tmp" : fmt::format("{} (TMPDIR)", variable);
    throw RuntimeError(fmt::format(
        "cannot make a temporary folder in {}: {}; set TMPDIR to a folder that can be written", name, error.message()));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace translate

#include "translate/apps/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

namespace translate {

TemporaryFolder::TemporaryFolder()
    : path_(std::filesystem::temp_directory_path() / fmt::format("translate-check-{}", static_cast<int>(getpid()))) {
  std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace translate

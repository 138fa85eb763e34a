#include "core/regular_file.h"

#include "core/file.h"
#include "core/stable_file.h"

namespace translate {

std::string read_regular_file(const std::filesystem::path& path) {
  (void)StableFile(path);
  return read_file(path);
}

}  // namespace translate

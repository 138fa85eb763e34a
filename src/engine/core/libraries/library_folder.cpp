#include "core/libraries/library_folder.h"

#include <dlfcn.h>

namespace translate {

std::filesystem::path folder_of_function(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string loader_problem() {
  const char* const problem = ::dlerror();
  return problem != nullptr ? problem : "for an unknown reason";
}

}  // namespace translate

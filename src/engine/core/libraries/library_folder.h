#pragma once

#include <filesystem>
#include <string>

namespace translate {

/// Returns the folder of the library or program that contains the function at `address`, or an empty path if the loader
/// does not know it.
[[nodiscard]] std::filesystem::path folder_of_function(const void* address);

/// Returns why the loader's last call in this thread (dlopen, dlsym) failed.
[[nodiscard]] std::string loader_problem();

}  // namespace translate

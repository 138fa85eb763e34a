#pragma once

#include <filesystem>
#include <string>

namespace translate {

/// The file that --config names. A name without folders is looked for as given, then in configs/ of the current folder,
/// then among the installed configurations (../share/translate/configs beside the program's folder), then in the
/// checkout that the program was built in (build/<preset>/bin). `executable_dir` is the folder of the program.
/// Throws ConfigError that lists the places, with the nearest name found there.
[[nodiscard]] std::filesystem::path find_config(const std::string& name, const std::filesystem::path& executable_dir);

}  // namespace translate

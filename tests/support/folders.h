#pragma once

#include <filesystem>

namespace translate {

/// The folder of the project, with its configs, data and golden files.
[[nodiscard]] std::filesystem::path project_folder();

/// The folder of the programs that were built.
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace translate

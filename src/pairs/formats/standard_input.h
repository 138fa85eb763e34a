#pragma once

#include <filesystem>

namespace translate {

/// The name by which a user asks for stdin in place of a file.
inline constexpr const char* kStandardInput = "-";

/// Copies stdin, packed or not, into a folder, because pairs are read several times, and returns the file. Its name
/// says which format its first characters are those of: JSON lines, TMX or XLIFF, otherwise a table with tabs. Throws
/// RuntimeError if the file cannot be written, DataError if stdin is empty, or packed and damaged.
[[nodiscard]] std::filesystem::path copy_standard_input(const std::filesystem::path& folder);

}  // namespace translate

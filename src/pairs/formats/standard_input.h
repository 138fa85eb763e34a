#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/temporary_folder.h"

namespace translate {

/// Returns paths with a copy of stdin in the place of "-": a file in a new `folder`, because pairs are read several
/// times. Stdin may be packed. The name of the copy says which format its first characters are those of: JSON lines,
/// TMX or XLIFF, otherwise a table with tabs. Throws ConfigError if stdin is named twice, RuntimeError if it cannot be
/// copied, DataError if it is empty, or packed and damaged.
[[nodiscard]] std::vector<std::filesystem::path> with_standard_input(std::vector<std::filesystem::path> paths,
                                                                     std::optional<TemporaryFolder>& folder);

}  // namespace translate

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace translate {

/// Returns the bytes of a whole file, unpacked if it is gzip. Throws as GzipReader does, and DataError with `expected`,
/// what the user should give instead, if there are more than `most`.
[[nodiscard]] std::string read_unpacked(const std::filesystem::path& path, std::size_t most, std::string_view expected);

}  // namespace translate

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/stable_file.h"

namespace translate {

/// The file in the user's cache folder (user_cache_folder) that records the CRC-32 of large files that were read
/// before.
inline constexpr const char* kFileSumsFile = "checked-files.json";

/// Smaller files are read whenever their sum is needed: that takes less than a millisecond.
inline constexpr std::uint64_t kRememberedSize = std::uint64_t{1} << 20U;

/// Returns the CRC-32 of a file, computed from its bytes in chunks on all threads. For files of kRememberedSize and
/// more it is remembered in `folder`, by the file's stamp: a file that was written, replaced or copied is a different
/// file. The sum of a file that changed within the last two seconds is not remembered, since the file may change again
/// without getting another time. If `folder` is empty or cannot be written, nothing is remembered. Throws RuntimeError
/// if the file cannot be read or changes meanwhile.
[[nodiscard]] std::uint32_t compute_sum(const StableFile& file, const std::filesystem::path& folder);

/// Returns the sum that compute_sum remembered in `folder` for a file that has not changed since, or nothing.
[[nodiscard]] std::optional<std::uint32_t> remembered_sum(const StableFile& file, const std::filesystem::path& folder);

}  // namespace translate

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/held_file.h"

namespace translate {

/// In the user's cache folder (core/cache_folder.h): the CRC-32 of large files that were read before.
inline constexpr const char* kFileSumsFile = "checked-files.json";

/// Smaller files are read whenever their sum is wanted: that takes less than a millisecond.
inline constexpr std::uint64_t kRememberedSize = std::uint64_t{1} << 20U;

/// The CRC-32 of a file, computed from its bytes in chunks on all threads. It is remembered in `folder` for files of
/// kRememberedSize and more, by the file's stamp: a file that was written, replaced or copied is another one. The sum
/// of a file that changed within the last two seconds is not remembered, since it may change again without getting
/// another time. Where `folder` is empty or cannot be written, nothing is remembered. Throws RuntimeError where the
/// file cannot be read or changes meanwhile.
[[nodiscard]] std::uint32_t compute_sum(const StableFile& file, const std::filesystem::path& folder);

/// The sum that compute_sum remembered in `folder` for a file that has not changed since; nothing where there is none.
[[nodiscard]] std::optional<std::uint32_t> remembered_sum(const StableFile& file, const std::filesystem::path& folder);

}  // namespace translate

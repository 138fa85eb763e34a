#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>

/// What of the operating system is not POSIX. system_calls_linux.cpp calls Linux; system_calls_portable.cpp does
/// without, on other systems and where the build says TRANSLATE_PORTABLE, as in the preset engine-portable.
namespace translate {

/// Returns the number of processors that this process may use.
[[nodiscard]] int allowed_processors();

/// Returns the bits of AT_HWCAP (word 1) or AT_HWCAP2 (word 2), by which ARM64 tells its instructions; 0 if unknown.
[[nodiscard]] unsigned long processor_capabilities(int word);

/// Changes the size of pages that mmap returned, which may move; new ones are zero. Returns MAP_FAILED, with errno, if
/// that fails; the old ones stay.
[[nodiscard]] void* resize_pages(void* address, std::size_t bytes, std::size_t wanted);

/// Has the system allocate pages that mmap returned at once, where it can, which is far faster than page by page.
void populate_pages(void* address, std::size_t bytes);

/// Has this process get a signal when its parent ends, where the system can do so.
void end_with_parent(int signal);

/// Has two paths exchange their files or folders at once. Returns 0 or errno: ENOSYS where the system cannot do so.
[[nodiscard]] int exchange_paths(const std::filesystem::path& first, const std::filesystem::path& second);

/// Returns the path by which this program was started; empty if unknown.
[[nodiscard]] std::filesystem::path started_path();

/// Returns where an open file lies now, wherever it was moved; nothing if unknown.
[[nodiscard]] std::optional<std::filesystem::path> path_of_open_file(int descriptor);

/// Opens a pipe, for reading at [0] and for writing at [1], that programs started by this one do not get. Returns 0, or
/// -1 with errno.
[[nodiscard]] int open_pipe(int* ends);

}  // namespace translate

#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string_view>

/// Memory by what Linux tells of it in /proc and of control groups. On other systems, which have neither, the limits of
/// POSIX are known alone: what is available counts as unlimited beyond them, and what is resident as 0.
namespace translate {

/// Returns the bytes that this process may still allocate: the minimum of the system's available memory, the remainder
/// of the control groups' limits (version 1 and 2; page cache that can be dropped counts as free), and the remainder of
/// RLIMIT_AS and RLIMIT_DATA. `root` is the file system's root; tests give another.
[[nodiscard]] std::int64_t available_memory(const std::filesystem::path& root = "/");

/// Returns the bytes that this process could allocate if it had the machine to itself: no larger allocation can
/// succeed. The minimum of the system's memory and swap, the limits of the control groups (swap on top), and RLIMIT_AS
/// and RLIMIT_DATA.
[[nodiscard]] std::int64_t memory_capacity(const std::filesystem::path& root = "/");

/// The peak resident set of the process so far, in bytes.
[[nodiscard]] std::int64_t peak_memory_bytes();

/// The resident set of the process now, in bytes; 0 if the kernel does not report it.
[[nodiscard]] std::int64_t resident_memory_bytes();

/// The peak since reset_resident_peak().
[[nodiscard]] std::int64_t resident_peak();

/// Begins a new resident_peak() at the memory that is resident now. Returns false if the kernel does not permit it.
bool reset_resident_peak();

/// True if an exception reports a failed allocation: the standard library's, the system's pages, LibTorch's allocators
/// on any device, oneDNN's buffers.
[[nodiscard]] bool is_out_of_memory(const std::exception& error);

/// The same by the words of a message.
[[nodiscard]] bool says_out_of_memory(std::string_view message);

}  // namespace translate

#pragma once

#include <filesystem>

namespace translate {

/// Opens the descriptors 0, 1 and 2 if the process was started without them (`2>&-`). Otherwise the next file that is
/// opened, such as a log or a checkpoint, would take the number, and messages would be written into it. Reading from
/// such a stdin and writing to such a stdout fails; messages to such a stderr are dropped. To be called before any file
/// is opened.
void open_missing_standard_streams() noexcept;

/// Makes writes to a closed pipe fail with EPIPE instead of ending the process: for programs whose work is worth more
/// than their messages.
void ignore_broken_pipes() noexcept;

/// Makes write() beyond the file size limit (`ulimit -f`) fail with EFBIG, an error like a full disk, instead of ending
/// the process.
void ignore_file_size_signals() noexcept;

/// Returns the path of the running program; where /proc is not mounted, the path with which it was started. Throws
/// RuntimeError if that is gone, too. `root` is the file system's root; tests give another.
[[nodiscard]] std::filesystem::path executable_path(const std::filesystem::path& root = "/");

/// Returns the folder of the running program.
[[nodiscard]] std::filesystem::path executable_dir();

}  // namespace translate

#pragma once

#include <filesystem>
#include <string_view>

namespace translate {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// Sets up logging to stderr (never stdout, which carries results alone). Messages below `level` are dropped.
/// Until it is called, info and above go to stderr.
void initialise_logging(LogLevel level);

/// Also appends every message, info and above, to `path` (a run's log.txt), whatever the level on stderr; a file given
/// before is closed. Throws RuntimeError where it cannot be opened.
void add_log_file(const std::filesystem::path& path);

/// Messages are complete lines without the newline; format them with fmt::format at the call.
/// While a progress line stands on the terminal it is erased first and drawn again afterwards.
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

/// Draws `line` as the one progress line on stderr where that is a terminal and the level allows info; otherwise
/// nothing. An empty line erases it.
void show_progress(std::string_view line);

/// True where stderr is a terminal and info is not silenced: then progress lines replace periodic log lines.
[[nodiscard]] bool progress_is_visible();

}  // namespace translate

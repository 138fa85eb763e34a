#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

namespace translate {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// The names of the levels, in the order of LogLevel.
inline constexpr std::array<const char*, 5> kLogLevelNames = {"debug", "info", "warning", "error", "off"};

/// Returns the level of that name, or nothing if there is none.
[[nodiscard]] std::optional<LogLevel> log_level_of(std::string_view name);

/// Sets up logging to stderr (never stdout, which carries results alone). Messages below `level` are dropped. Before
/// the call, info and above go to stderr. `process`, if given, names this process among others ("rank 1") at the
/// beginning of its messages.
void initialise_logging(LogLevel level, std::string_view process = {});

/// Also appends every message, info and above, to `path` (a run's log.txt), independent of the level on stderr; the
/// previous log file is closed. Throws RuntimeError if it cannot be opened.
void add_log_file(const std::filesystem::path& path);

/// Messages are complete lines without the newline (fmt::format at the call); see printable_message for their text. A
/// terminal gets them broken between words where its window ends. A progress line there is erased first and redrawn
/// afterwards.
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

/// True if messages of level debug are shown: the caller need not make them otherwise.
[[nodiscard]] bool debug_is_shown();

/// Draws `line` as the one progress line on stderr if that is a terminal and the level includes info; otherwise does
/// nothing. An empty line erases it.
void show_progress(std::string_view line);

/// True if stderr is a terminal and info is not silenced: then progress lines replace periodic log lines.
[[nodiscard]] bool progress_is_visible();

}  // namespace translate

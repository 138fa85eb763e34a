#include "core/logging.h"

#include <fmt/format.h>
#include <spdlog/common.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/environment.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/output_file.h"
#include "core/terminal.h"

namespace translate {

std::optional<LogLevel> log_level_of(std::string_view name) {
  const auto* const found = std::ranges::find(kLogLevelNames, name);
  if (found == kLogLevelNames.end()) {
    return std::nullopt;
  }
  return static_cast<LogLevel>(found - kLogLevelNames.begin());
}

namespace {

constexpr std::string_view kEraseLine = "\r\033[K";

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

/// Formats a message as "[12:34:56] text", with its level before the text if that is not info.
class LineFormatter {
 public:
  static constexpr std::size_t kTimeColumns = 11;  ///< of "[12:34:56] "

  /// Returns the columns before the text.
  static std::size_t columns_before(spdlog::level::level_enum level) {
    const std::string_view mark = level == spdlog::level::warn   ? "warning: "
                                  : level >= spdlog::level::err  ? "error: "
                                  : level == spdlog::level::info ? ""
                                                                 : "debug: ";
    return kTimeColumns + mark.size();
  }

  explicit LineFormatter(const std::string& time, bool coloured) : plain_(time + " %v") {
    const auto mark = [&](const char* colour, const char* word) {
      return coloured ? fmt::format("{} \033[{}m{}:\033[0m %v", time, colour, word)
                      : fmt::format("{} {}: %v", time, word);
    };
    debug_ = std::make_unique<spdlog::pattern_formatter>(mark("2", "debug"));
    warning_ = std::make_unique<spdlog::pattern_formatter>(mark("33", "warning"));
    error_ = std::make_unique<spdlog::pattern_formatter>(mark("31", "error"));
  }

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) {
    if (message.level <= spdlog::level::debug) {
      return debug_->format(message, line);
    }
    if (message.level == spdlog::level::warn) {
      return warning_->format(message, line);
    }
    if (message.level >= spdlog::level::err) {
      return error_->format(message, line);
    }
    plain_.format(message, line);
  }

 private:
  spdlog::pattern_formatter plain_;
  std::unique_ptr<spdlog::pattern_formatter> debug_;
  std::unique_ptr<spdlog::pattern_formatter> warning_;
  std::unique_ptr<spdlog::pattern_formatter> error_;
};

/// Messages and one progress line on stderr. The base's mutex keeps them apart. Never destroyed: see the_log.
class ErrorStreamSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void show_progress(const ProgressLine& line) {
    const std::lock_guard lock(mutex_);
    erase();
    progress_ = line;
    draw();
    if (!progress_.empty()) {
      follow_window();
    }
  }

  [[nodiscard]] bool shows_progress() const { return terminal_ && should_log(spdlog::level::info); }

  /// Returns the columns that the window has for the text of a message of level info; no limit off a terminal.
  [[nodiscard]] std::size_t text_columns() const {
    return terminal_ ? std::max(terminal_columns(STDERR_FILENO), kNarrow) - LineFormatter::kTimeColumns
                     : std::string::npos;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    if (terminal_) {
      const auto text = broken_for_window(message);
      auto broken = message;
      broken.payload = text;
      lines_.format(broken, line);
    } else {
      lines_.format(message, line);
    }
    erase();
    write({line.data(), line.size()});
    draw();
  }

  void flush_() override { (void)std::fflush(stderr); }

 private:
  /// The cursor is at the end of the line, which is some rows below its beginning if the window has become narrower
  /// since.
  void erase() {
    if (drawn_width_ == 0) {
      return;
    }
    const std::size_t rows_above = terminal_rewraps() ? (drawn_width_ - 1) / terminal_columns(STDERR_FILENO) : 0;
    write(rows_above == 0 ? std::string(kEraseLine) : fmt::format("\r\033[{}A\033[J", rows_above));
    drawn_width_ = 0;
  }

  /// Returns the text of a message, broken into lines that fit the window and begin below each other.
  static std::string broken_for_window(const spdlog::details::log_msg& message) {
    const std::string_view text(message.payload.data(), message.payload.size());
    const std::size_t columns = terminal_columns(STDERR_FILENO);
    if (columns < kNarrow) {
      return std::string(text);
    }
    const std::string before(LineFormatter::columns_before(message.level), ' ');
    return break_lines(before + std::string(text), columns, LineFormatter::kTimeColumns).substr(before.size());
  }

  /// A line that fills the last column could wrap, and could then not be erased.
  void draw() {
    if (!progress_.empty()) {
      drawn_columns_ = terminal_columns(STDERR_FILENO);
      const std::string text = fit(progress_, drawn_columns_ - 1);
      drawn_width_ = display_width(text);
      write(text);
    }
    (void)std::fflush(stderr);
  }

  /// Starts the thread, once, that redraws the line when the window's width changes: the program itself may be busy for
  /// long. The thread blocks all signals.
  void follow_window() {
    changed_.notify_one();
    if (follows_window_) {
      return;
    }
    follows_window_ = true;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { redraw_on_resize(); }).detach();
    } catch (const std::system_error&) {  // no memory for a thread: the line keeps its width
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void redraw_on_resize() {
    constexpr auto kPause = std::chrono::milliseconds(100);
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return drawn_width_ > 0; });
      if (terminal_columns(STDERR_FILENO) != drawn_columns_) {
        erase();
        draw();
      }
      lock.unlock();
      std::this_thread::sleep_for(kPause);
      lock.lock();
    }
  }

  /// If stderr itself fails, the error cannot be reported anywhere.
  static void write(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

  static constexpr std::size_t kNarrow = 40;  ///< columns; in a narrower window, the window itself breaks lines

  const bool terminal_ = is_drawing_terminal(STDERR_FILENO);
  ProgressLine progress_;
  std::size_t drawn_width_ = 0;    ///< width of the line on the terminal; 0: none
  std::size_t drawn_columns_ = 0;  ///< width of the window when it was drawn
  bool follows_window_ = false;
  std::condition_variable changed_;
  LineFormatter lines_{"[%H:%M:%S]", /*coloured=*/terminal_ && !environment_variable("NO_COLOR")};
};

/// Appends messages to a log file. The first one that cannot be written is the last: a warning on stderr then says so,
/// and the work that is logged goes on.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FileSink(const std::filesystem::path& path, std::shared_ptr<ErrorStreamSink> error_stream)
      : file_(path), error_stream_(std::move(error_stream)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!file_) {
      return;
    }
    spdlog::memory_buf_t line;
    lines_.format(message, line);
    try {
      file_->append({line.data(), line.size() - 1});  // without its newline
    } catch (const RuntimeError& error) {
      file_.reset();
      const auto warning = fmt::format("{}; no more messages are written there", error.what());
      const spdlog::details::log_msg told(message.logger_name, spdlog::level::warn, warning);
      if (error_stream_->should_log(told.level)) {
        error_stream_->log(told);
      }
    }
  }

  void flush_() override {}

 private:
  std::optional<LineAppender> file_;
  std::shared_ptr<ErrorStreamSink> error_stream_;
  LineFormatter lines_{"[%Y-%m-%d %H:%M:%S]", /*coloured=*/false};
};

/// The process's one logger: stderr, and a log file if one was added.
class Log {
 public:
  Log() {
    sinks_->add_sink(error_stream_);
    logger_.set_level(spdlog::level::debug);  // each sink has its own level
    logger_.flush_on(spdlog::level::debug);
    error_stream_->set_level(spdlog::level::info);
  }

  void add_file(const std::filesystem::path& path) {
    file_ = std::make_shared<FileSink>(path, error_stream_);
    file_->set_level(spdlog::level::info);
    sinks_->set_sinks({error_stream_, file_});
  }

  /// Logs the fields, shortened to the window on a terminal and whole in the file.
  void add_fields(const ProgressLine& line) {
    const auto add = [&](spdlog::sinks::sink& sink, std::size_t columns) {
      const auto text = named(shortened(line, columns));
      if (sink.should_log(spdlog::level::info)) {
        sink.log({logger_.name(), spdlog::level::info, text});
      }
    };
    add(*error_stream_, error_stream_->text_columns());
    if (file_) {
      add(*file_, std::string::npos);
    }
  }

  void name_process(std::string_view process) { process_ = process; }

  /// Returns the message with the name of this process, if it has one.
  [[nodiscard]] std::string named(std::string_view message) const {
    return process_.empty() ? std::string(message) : fmt::format("{}: {}", process_, message);
  }

  ErrorStreamSink& error_stream() { return *error_stream_; }
  spdlog::logger& logger() { return logger_; }

 private:
  std::shared_ptr<ErrorStreamSink> error_stream_ = std::make_shared<ErrorStreamSink>();
  std::shared_ptr<spdlog::sinks::dist_sink_mt> sinks_ = std::make_shared<spdlog::sinks::dist_sink_mt>();
  std::shared_ptr<FileSink> file_;  ///< null: there is none
  spdlog::logger logger_{"translate", sinks_};
  std::string process_;
};

/// Never destroyed: destructors of other objects may still log.
Log& the_log() {
  static Log& log = *new Log;
  return log;
}

void log(spdlog::level::level_enum level, std::string_view message) {
  const auto text = the_log().named(printable_message(message));
  the_log().logger().log(level, spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace

void initialise_logging(LogLevel level, std::string_view process) {
  the_log().error_stream().set_level(to_spdlog(level));
  the_log().name_process(process);
}

void add_log_file(const std::filesystem::path& path) { the_log().add_file(path); }

void log_debug(std::string_view message) { log(spdlog::level::debug, message); }
void log_info(std::string_view message) { log(spdlog::level::info, message); }
void log_warning(std::string_view message) { log(spdlog::level::warn, message); }
void log_error(std::string_view message) { log(spdlog::level::err, message); }

void log_fields(const ProgressLine& line) { the_log().add_fields(line); }

bool debug_is_shown() { return the_log().error_stream().should_log(spdlog::level::debug); }

void show_progress(const ProgressLine& line) {
  if (progress_is_visible()) {
    the_log().error_stream().show_progress(line);
  }
}

void show_progress(std::string_view line) { show_progress(ProgressLine{.label = std::string(line)}); }

bool progress_is_visible() { return the_log().error_stream().shows_progress(); }

}  // namespace translate

#include "command_line/line_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/file_descriptor.h"
#include "core/logging.h"
#include "core/terminal.h"
#include "core/text_format.h"

namespace translate {

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kBytesAtOnce = 1 << 16;

/// Throws DataError if the beginning of the input is that of another format than plain text.
void check_format(std::string_view beginning, const std::string& name) {
  if (const auto format = other_format(beginning.substr(0, kFormatBytes))) {
    throw DataError(fmt::format("{}: {}", name, *format));
  }
}

[[noreturn]] void fail_to_write_stdout() {
  if (errno == EPIPE) {
    throw BrokenPipe("stdout");
  }
  throw RuntimeError(fmt::format("stdout: cannot be written: {}", std::strerror(errno)));
}

}  // namespace

LineStream::LineStream(const std::string& path, const std::optional<ByteRange>& range)
    : name_(path.empty() ? "stdin" : path),
      file_(STDIN_FILENO),
      prompts_(path.empty() && is_terminal(STDIN_FILENO) && progress_is_visible()) {
  if (!path.empty()) {
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
      throw DataError(fmt::format("{}: is a folder; expected a text file", path));
    }
    opened_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    file_ = opened_.number();
    if (file_ < 0) {
      const int error = errno;
      throw_read_error(fmt::format("{}: cannot be read: {}", path, std::strerror(error)), error);
    }
  }
  unpacked_ = std::make_unique<UnpackedFile>(file_);
  if (path.empty()) {
    return;
  }
  struct stat status {};
  if (::fstat(file_, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  if (range) {
    begin_at(*range);
  }
}

void LineStream::fail_to_read(const std::error_code& error) const {
  throw_read_error(fmt::format("{}: reading failed: {}", name_, error.message()), error.value());
}

void LineStream::begin_at(const ByteRange& range) {
  std::array<char, kFormatBytes> beginning{};
  const auto count = ::pread(file_, beginning.data(), beginning.size(), 0);
  const std::string_view begins(beginning.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (!begins.starts_with(kGzipBegin)) {
    check_format(begins, name_);
  }
  try {
    unpacked_->skip(range.begin);
  } catch (const std::system_error& error) {
    fail_to_read(error.code());
  } catch (const GzipFault& fault) {
    throw DataError(fmt::format("{}: {}; check it with gzip -t", name_, fault.what()));
  }
  size_ = range.end - range.begin;
  left_ = size_;
  at_start_ = range.begin == 0;
}

std::optional<LineStream::Progress> LineStream::progress() const {
  const auto done = is_packed_ && !left_ ? unpacked_->taken() : done_;
  return size_ ? std::optional(Progress{.done = done, .size = *size_}) : std::nullopt;
}

/// Takes the next line of the buffer if it is complete or the last one of the input; returns whether there was one.
bool LineStream::take_line(std::string& line) {
  auto end = buffer_.find('\n', searched_);
  const bool is_whole = end != std::string::npos;
  if ((is_whole ? end : buffer_.size()) - begin_ > kLongestLine) {
    throw DataError(fmt::format("{}: line {}: {}", name_, lines_ + 1, longest_line_text()));
  }
  if (!is_whole) {
    searched_ = buffer_.size();
    if (!ended_ || begin_ == buffer_.size()) {
      return false;
    }
    end = buffer_.size();
  }
  line.assign(buffer_, begin_, end - begin_);
  const auto after = is_whole ? end + 1 : end;
  done_ += after - begin_;
  begin_ = searched_ = after;
  ++lines_;
  return true;
}

/// Returns whether reading more would not block. A client that has sent many lines at once is probably about to send
/// more: it is worth waiting a moment, because many lines together are translated faster.
bool LineStream::more_is_there(std::size_t lines) const {
  constexpr std::size_t kMany = 64;
  constexpr int kMoment = 2;  // milliseconds
  pollfd file{.fd = file_, .events = POLLIN, .revents = 0};
  return ::poll(&file, 1, lines >= kMany ? kMoment : 0) > 0;
}

void LineStream::prompt() {
  constexpr std::string_view kHint = "Type a line and press Enter; Ctrl-D ends.\n";
  std::cerr << (prompted_ ? "" : kHint) << "> " << std::flush;
  prompted_ = true;
}

/// Reads the next bytes of the text; returns 0 at its end.
std::size_t LineStream::read_some(std::span<char> to) {
  try {
    const auto count = unpacked_->read(to);
    is_packed_ = unpacked_->is_packed();
    return count;
  } catch (const std::system_error& error) {
    fail_to_read(error.code());
  } catch (const GzipFault& fault) {
    throw DataError(fmt::format("{}: line {}: {}; check it with gzip -t", name_,
                                lines_ + static_cast<std::uint64_t>(std::ranges::count(buffer_, '\n')) + 1,
                                fault.what()));
  }
}

void LineStream::fill() {
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const auto before = buffer_.size();
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBytesAtOnce, left_.value_or(kBytesAtOnce)));
  buffer_.resize(before + wanted);
  const auto count = read_some(std::span(buffer_).subspan(before, wanted));
  buffer_.resize(before + count);
  ended_ = count == 0;
  if (left_) {
    if (ended_ && wanted > 0) {
      throw DataError(fmt::format("{}: became shorter while it was read", name_));
    }
    *left_ -= count;
  }
  if (ended_ && prompts_) {
    std::cerr << std::endl;  // ends the line of the prompt, so that the next output has a line of its own
  }
}

std::vector<std::string> LineStream::read(std::size_t count) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < count) {
    if (take_line(line)) {
      if (std::exchange(at_start_, false)) {
        check_format(line, name_);
        line.erase(0, line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
      }
      if (line.ends_with('\r')) {
        line.pop_back();
      }
      lines.push_back(line);
    } else if (ended_ || (!lines.empty() && !more_is_there(lines.size()))) {
      break;
    } else {
      if (prompts_ && begin_ == buffer_.size()) {
        prompt();
      }
      fill();
    }
  }
  return lines;
}

std::string LineStream::read_rest(std::size_t most) {
  while (!ended_) {
    fill();
    if (buffer_.size() - begin_ > most) {
      throw DataError(fmt::format("{}: has more than {} bytes; expected a smaller file", name_, most));
    }
  }
  return buffer_.substr(std::exchange(begin_, buffer_.size()));
}

LineWriter::LineWriter(const std::string& path) : path_(path) {
  if (path.empty()) {
    return;
  }
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  const bool replaces = std::filesystem::is_regular_file(status) || !std::filesystem::exists(status);
  partial_ = replaces ? std::filesystem::path(path + ".partial") : std::filesystem::path();
  file_.emplace(replaces ? partial_ : path_);
}

LineWriter::~LineWriter() {
  try {
    flush();
  } catch (const RuntimeError&) {  // the user must see the earlier error
  }
}

void LineWriter::write(const std::string& line) {
  write_bytes(line);
  write_bytes("\n");
}

void LineWriter::write_bytes(std::string_view bytes) {
  if (!file_) {
    std::cout << bytes;
    return;
  }
  buffer_ += bytes;
  if (buffer_.size() >= kBytesAtOnce) {
    flush();
  }
}

void LineWriter::flush() {
  if (file_) {
    file_->write(std::exchange(buffer_, {}));
  } else if (!std::cout.flush()) {
    fail_to_write_stdout();
  }
}

void LineWriter::finish() {
  flush();
  if (!file_) {
    return;
  }
  static_cast<void>(file_->finish());
  if (!partial_.empty()) {
    move_into_place(partial_, path_);
  }
}

void print_result(const std::string& text) {
  if (!(std::cout << text << std::flush)) {
    fail_to_write_stdout();
  }
}

void print_report(const std::string& text) { print_result(fit_window(text, STDOUT_FILENO)); }

}  // namespace translate

#include "core/piped_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <ranges>
#include <system_error>

#include "core/environment.h"
#include "core/error.h"
#include "core/process.h"
#include "core/system/system_calls.h"

namespace translate {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16U;
constexpr std::size_t kKeptMessages = std::size_t{1} << 12U;

/// Both ends of a pipe; programs started by this one do not get them.
struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};

Pipe new_pipe(const std::string& program) {
  std::array<int, 2> ends = {};
  if (open_pipe(ends.data()) != 0) {
    fail_with_reason("open a pipe to", program);
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// The child's ends of the pipes.
struct ChildEnds {
  int input;
  int output;
  int messages;
  int failure;  ///< takes errno if the program cannot be started; closed if it can
};

/// Turns the child into the program. Allocates no memory, since other threads of the parent may have held its locks.
[[noreturn]] void become(char* const* words, const ChildEnds& ends, pid_t parent) {
  end_with_parent(SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  (void)std::signal(SIGPIPE, SIG_DFL);  // a program begins with what its parent ignores
  (void)std::signal(SIGXFSZ, SIG_DFL);
  if (::dup2(ends.input, STDIN_FILENO) >= 0 && ::dup2(ends.output, STDOUT_FILENO) >= 0 &&
      ::dup2(ends.messages, STDERR_FILENO) >= 0) {
    ::execvp(words[0], words);
  }
  const int reason = errno;
  (void)!::write(ends.failure, &reason, sizeof(reason));
  ::_exit(1);
}

/// Reads what there is, at most a chunk; closes the pipe at its end.
std::string read_chunk(FileDescriptor& pipe, const std::string& program) {
  std::string bytes(kChunk, '\0');
  bytes.resize(read_some(pipe, bytes, program));
  if (bytes.empty()) {
    pipe = FileDescriptor();
  }
  return bytes;
}

}  // namespace

PipedProgram::PipedProgram(const std::vector<std::string>& words) : name_(words.at(0)) {
  ignore_broken_pipes();
  std::vector<char*> arguments;
  for (const auto& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  Pipe input = new_pipe(name_);
  Pipe output = new_pipe(name_);
  Pipe messages = new_pipe(name_);
  Pipe failure = new_pipe(name_);
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id < 0) {
    fail_with_reason("start", name_);
  }
  if (id == 0) {
    become(arguments.data(),
           {input.reading.number(), output.writing.number(), messages.writing.number(), failure.writing.number()},
           parent);
  }
  child_.emplace(id);
  failure.writing = FileDescriptor();
  int reason = 0;
  if (repeat_interrupted([&] { return ::read(failure.reading.number(), &reason, sizeof(reason)); }) > 0) {
    errno = reason;
    fail_with_reason("start", name_);
  }
  input_ = std::move(input.writing);
  output_ = std::move(output.reading);
  messages_ = std::move(messages.reading);
  if (::fcntl(input_.number(), F_SETFL, O_NONBLOCK) != 0) {
    fail_with_reason("write to", name_);
  }
}

void PipedProgram::write_input(const Input& next) {
  if (unwritten_.empty()) {
    unwritten_ = next();
  }
  if (unwritten_.empty()) {
    input_ = FileDescriptor();
    return;
  }
  const auto written =
      repeat_interrupted([&] { return ::write(input_.number(), unwritten_.data(), unwritten_.size()); });
  if (written >= 0) {
    unwritten_.erase(0, static_cast<std::size_t>(written));
  } else if (errno == EPIPE) {
    input_ = FileDescriptor();
  } else if (errno != EAGAIN) {
    fail_with_reason("write to", name_);
  }
}

void PipedProgram::exchange(const Input& next, const Output& take) {
  while (output_.number() >= 0 || messages_.number() >= 0) {
    // poll() ignores files with negative numbers.
    std::array<pollfd, 3> files = {{{.fd = messages_.number(), .events = POLLIN, .revents = 0},
                                    {.fd = output_.number(), .events = POLLIN, .revents = 0},
                                    {.fd = input_.number(), .events = POLLOUT, .revents = 0}}};
    if (repeat_interrupted([&] { return ::poll(files.data(), files.size(), /*timeout=*/-1); }) < 0) {
      fail_with_reason("wait for", name_);
    }
    if (files[0].revents != 0) {
      end_of_messages_ += read_chunk(messages_, name_);
      end_of_messages_.erase(0, end_of_messages_.size() - std::min(end_of_messages_.size(), kKeptMessages));
    }
    if (files[1].revents != 0) {
      if (const auto bytes = read_chunk(output_, name_); !bytes.empty()) {
        take(bytes);
      }
    }
    if (files[2].revents != 0) {
      write_input(next);
    }
  }
  input_ = FileDescriptor();
}

std::string PipedProgram::last_messages() const {
  if (end_of_messages_.size() < kKeptMessages) {
    return end_of_messages_;
  }
  const auto line_end = end_of_messages_.find('\n');
  return line_end + 1 < end_of_messages_.size() ? end_of_messages_.substr(line_end + 1) : end_of_messages_;
}

void require_program(const std::string& name) {
  const auto may_start = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, ignored);
  };
  if (name.find('/') != std::string::npos) {
    if (!may_start(name)) {
      throw PathError(fmt::format("cannot start {}: there is no such program, or it may not be executed", name));
    }
    return;
  }
  const auto folders = environment_variable("PATH").value_or("/bin:/usr/bin");  // as execvp does
  for (const auto folder : std::views::split(folders, ':')) {
    if (may_start(std::filesystem::path(std::string(folder.begin(), folder.end())) / name)) {
      return;
    }
  }
  throw PathError(fmt::format("cannot start {}: there is no such program in the folders of PATH", name));
}

}  // namespace translate

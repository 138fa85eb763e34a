#include "integration/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <thread>

#include "support/folders.h"

namespace translate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeOut = std::chrono::minutes(5);  // for machines that are busy: nothing here computes for long
constexpr auto kPause = std::chrono::milliseconds(2);

int anonymous_file(const char* name) {
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (file < 0) {
    throw std::runtime_error("memfd_create failed");
  }
  return file;
}

std::string content_of(int file) {
  struct stat info = {};
  if (::fstat(file, &info) != 0) {
    throw std::runtime_error("fstat failed");
  }
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t read = 0;
  while (read < content.size()) {
    const ssize_t count = ::pread(file, content.data() + read, content.size() - read, static_cast<off_t>(read));
    if (count <= 0) {
      break;
    }
    read += static_cast<std::size_t>(count);
  }
  content.resize(read);
  return content;
}

int input_file(const std::string& input) {
  const int file = anonymous_file("stdin");
  if (::write(file, input.data(), input.size()) != static_cast<ssize_t>(input.size())) {
    throw std::runtime_error("cannot prepare stdin");
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

/// The child's part between fork and the program; ends with 127 where that fails.
[[noreturn]] void become(const std::vector<char*>& arguments, const ProcessOptions& options, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) {
    ::_exit(127);
  }
  if (options.file_limit) {
    const struct rlimit limit = {*options.file_limit, *options.file_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (kMemoryCanBeLimited && options.memory_limit) {
    const struct rlimit limit = {*options.memory_limit, *options.memory_limit};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  for (const auto& [name, value] : options.environment) {
    ::setenv(name.c_str(), value.c_str(), /*replace=*/1);
  }
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

}  // namespace

Process::Process(const std::string& name, const std::vector<std::string>& arguments, const ProcessOptions& options)
    : out_(anonymous_file("stdout")), err_(anonymous_file("stderr")) {
  std::string program = name.find('/') == std::string::npos ? program_folder().string() + "/" + name : name;
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers = {program.data()};
  for (auto& argument : copies) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const int in = input_file(options.input);
  const int out = options.stdout_path.empty() ? ::dup(out_) : ::open(options.stdout_path.c_str(), O_WRONLY);
  pid_ = ::fork();
  if (pid_ == 0) {
    become(pointers, options, in, out, err_);
  }
  ::close(in);
  ::close(out);
  if (pid_ < 0) {
    throw std::runtime_error("fork failed");
  }
}

Process::~Process() {
  if (!ended_ && pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status_, 0);
  }
  ::close(out_);
  ::close(err_);
}

void Process::send(int signal) const { ::kill(pid_, signal); }

bool Process::has_ended() {
  if (!ended_) {
    ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  }
  return ended_;
}

std::uint64_t Process::peak_address_space() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  std::string word;
  while (status >> word && word != "VmPeak:") {
  }
  std::uint64_t kibibytes = 0;
  if (!(status >> kibibytes)) {
    throw std::runtime_error("the program does not run");
  }
  return kibibytes * 1024;
}

std::string Process::err() const { return content_of(err_); }

ProcessResult Process::wait() {
  const auto end = Clock::now() + kTimeOut;
  while (!has_ended()) {
    if (Clock::now() > end) {
      ADD_FAILURE() << "the program does not end; it said: " << err();
      send(SIGKILL);
      ::waitpid(pid_, &status_, 0);
      ended_ = true;
    }
    std::this_thread::sleep_for(kPause);
  }
  ProcessResult result;
  result.killed = WIFSIGNALED(status_);
  result.exit_code = result.killed ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  result.out = content_of(out_);
  result.err = content_of(err_);
  return result;
}

bool Process::wait_for_err(const std::string& text) {
  const auto end = Clock::now() + kTimeOut;
  while (true) {
    const bool last_look = has_ended() || Clock::now() > end;
    if (err().find(text) != std::string::npos) {
      return true;
    }
    if (last_look) {
      ADD_FAILURE() << "\"" << text << "\" never came on stderr: " << err();
      return false;
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace translate

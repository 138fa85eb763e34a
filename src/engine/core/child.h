#pragma once

#include <sys/types.h>

#include <string>

namespace translate {

/// A child process; the destructor ends it by SIGKILL and waits for it.
class Child {
 public:
  /// `id` is that of a process that fork has returned.
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Waits for the end and returns the status, as of waitpid; to be called once.
  int wait();

 private:
  pid_t id_;
  bool waited_ = false;
};

/// Returns a status of waitpid in words: "ended with exit code 3", "was ended by signal 9 (Killed)".
[[nodiscard]] std::string end_in_words(int status);

}  // namespace translate

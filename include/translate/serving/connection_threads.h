#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace translate {

/// Threads that serve connections, one each. Where all are taken, a few others serve what comes on top, for as long as
/// it takes to turn it away: overloaded() tells them apart.
class ConnectionThreads {
 public:
  using Connection = std::function<void()>;

  /// `count` threads, at least 1. Throws std::system_error where there cannot be as many.
  explicit ConnectionThreads(std::size_t count);
  ~ConnectionThreads();
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  /// Has `connection` called by a thread. Waits while a large number has yet to be turned away, so that more of them
  /// stay with the system.
  void serve(Connection connection);

  /// Calls what was handed over so far, and ends.
  void join();

  /// Whether the calling thread is one of those for what is too much.
  [[nodiscard]] static bool overloaded();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable connection_came_;
  std::condition_variable overload_came_;
  std::condition_variable overload_left_;
  std::deque<Connection> accepted_;
  std::deque<Connection> turned_away_;
  std::size_t serving_ = 0;  ///< threads with an accepted connection
  std::size_t count_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace translate

#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "translate/core/error.h"

namespace translate {

/// The translations of one line, the best first; at least one.
using Candidates = std::vector<std::string>;

/// Translates lines: as many results as lines, in their order. Called by one thread, always the same.
using TranslateLines = std::function<std::vector<Candidates>(std::span<const std::string> lines)>;

/// How much a BatchQueue takes.
struct QueueOptions {
  std::size_t max_waiting = 1000;  ///< lines that may wait
  std::size_t max_batch = 64;      ///< lines translated by one call
};

/// What a BatchQueue has done so far.
struct QueueCounts {
  static constexpr std::size_t kSizes = 12;

  std::size_t waiting = 0;                       ///< lines now
  std::uint64_t batches = 0;                     ///< calls that translated
  std::uint64_t lines = 0;                       ///< lines in them
  std::size_t largest = 0;                       ///< lines of the largest batch
  std::array<std::uint64_t, kSizes> sizes = {};  ///< batches of up to 2^i lines, and more than 2^(i-1)
};

/// Why a BatchQueue gave no translation.
enum class Refusal { kFull, kLate, kStopping };

class QueueRefusal : public RuntimeError {
 public:
  QueueRefusal(Refusal reason, const std::string& message) : RuntimeError(message), reason_(reason) {}
  [[nodiscard]] Refusal reason() const { return reason_; }

 private:
  Refusal reason_;
};

/// Joins the lines of concurrent requests into batches: a thread of its own takes what waits when it is done with the
/// last batch, and translates it at once. Requests take turns of some lines each, so that a long one does not hold up
/// those that came after it. All functions are thread-safe.
class BatchQueue {
 public:
  using Clock = std::chrono::steady_clock;

  BatchQueue(TranslateLines translate, const QueueOptions& options);
  /// Stops, and waits for the batch under way.
  ~BatchQueue();
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  /// Waits for the translations of `lines`. Throws QueueRefusal where there is no room for them (at once), where
  /// `deadline` comes first (what still waits of them is dropped), or where the queue stops; and what translating
  /// them throws. Where a batch of several requests fails each of them is tried alone: one's error is not another's.
  [[nodiscard]] std::vector<Candidates> translate(std::vector<std::string> lines, Clock::time_point deadline);

  /// Takes no more requests and refuses those not answered yet; the batch under way ends by itself.
  void stop();

  /// Waits until no batch is under way and none waits; false where `deadline` comes first.
  [[nodiscard]] bool wait_until_idle(Clock::time_point deadline);

  [[nodiscard]] QueueCounts counts() const;

 private:
  struct Request;
  struct Piece;

  void drop(Request& request);
  void fail(Request& request, const std::exception_ptr& error);
  [[nodiscard]] std::vector<Piece> take();
  void compute(std::vector<Piece>& batch) const;
  void deliver(std::vector<Piece>& batch);
  void work();

  TranslateLines translate_;
  QueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable became_idle_;
  std::deque<std::shared_ptr<Request>> waiting_;  ///< those with lines not yet taken
  std::set<std::shared_ptr<Request>> running_;    ///< those with lines in the batch under way
  QueueCounts counts_;
  bool stopping_ = false;
  std::thread worker_;  ///< the last member: it uses the others
};

}  // namespace translate

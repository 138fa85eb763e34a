#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "decoding/translator.h"

namespace translate::tools {

/// A translation of a line, and its log-probability (nats).
struct ScoredText {
  std::string text;
  double score = 0.0;
  std::optional<double> confidence = {};        ///< see Candidate::confidence
  Alignment alignment = {};                     ///< of its words with the line's; empty unless the translator aligns
  std::vector<std::string> missing_terms = {};  ///< see Candidate::missing_terms
  std::vector<std::string> unknown_words = {};  ///< of the best candidate alone: see Translation::unknown_words
  std::vector<std::string> unseen_words = {};   ///< likewise

  bool operator==(const ScoredText&) const = default;
};

/// The translations of one line, the best first; at least one.
using Candidates = std::vector<ScoredText>;

/// Translates lines as they arrive, until there are no more. Called by one thread, always the same; may use others.
using TranslateLines = std::function<void(LineSource& lines)>;

/// Limits of a RequestQueue.
struct QueueOptions {
  std::size_t max_waiting = 1000;  ///< lines that may wait
  std::size_t max_batch = 64;      ///< lines being translated at a time
};

/// Statistics of a RequestQueue.
struct QueueCounts {
  static constexpr std::size_t kSizes = 12;

  std::size_t waiting = 0;     ///< lines now
  std::size_t under_way = 0;   ///< lines now
  std::uint64_t lines = 0;     ///< that were begun
  std::uint64_t together = 0;  ///< for the mean batch: the lines under way, summed each time one begins
  std::size_t largest = 0;     ///< the maximum of these numbers
  std::array<std::uint64_t, kSizes> sizes = {};  ///< counts of these numbers: up to 2^i and more than 2^(i-1)

  /// Adds the counts of another queue.
  QueueCounts& operator+=(const QueueCounts& other);
};

/// The reason why a RequestQueue gave no translation.
enum class Refusal { kFull, kLate, kStopping };

/// What becomes of lines for which a RequestQueue has no room.
enum class WhenFull { kRefuse, kWait };

class QueueRefusal : public RuntimeError {
 public:
  QueueRefusal(Refusal reason, const std::string& message) : RuntimeError(message), reason_(reason) {}
  [[nodiscard]] Refusal reason() const { return reason_; }

 private:
  Refusal reason_;
};

/// Hands the lines of concurrent requests to a function that translates, on a separate thread: whenever it asks for
/// more, so that later lines join those being translated. Requests take turns line by line, so that a long one does not
/// delay those that came after it. All functions are thread-safe.
class RequestQueue : private LineSource {
 public:
  using Clock = std::chrono::steady_clock;

  RequestQueue(TranslateLines translate, const QueueOptions& options);
  /// Stops, and waits for the lines under way.
  ~RequestQueue() override;

  /// Waits for the translations of `lines`. Throws QueueRefusal if there is no room for them (at once, unless they
  /// wait for it), if `deadline` passes first (their waiting lines are dropped), or if the queue stops; otherwise
  /// throws the error of the first line that has one.
  [[nodiscard]] std::vector<Candidates> translate(std::vector<SourceLine> lines, Clock::time_point deadline,
                                                  WhenFull when_full = WhenFull::kRefuse);

  /// Accepts no more requests and refuses those not answered yet; the lines under way end by themselves.
  void stop();

  /// Waits until no line is under way or waiting; returns false if `deadline` passes first.
  [[nodiscard]] bool wait_until_idle(Clock::time_point deadline);

  [[nodiscard]] QueueCounts counts() const;

 private:
  struct Request;
  /// A line of a request.
  struct RunningLine {
    std::shared_ptr<Request> request;
    std::size_t index;
  };
  /// The start of a batch, when a translator that works in batches took its first line.
  struct Batch {
    Clock::time_point start = {};
    std::size_t requests = 0;  ///< requests that had lines then
  };

  [[nodiscard]] std::optional<NumberedLine> take(const WorkRequest& request) override;
  void give(std::uint64_t number, Translation translation) override;
  void fail(std::uint64_t number, const std::exception_ptr& error) override;

  [[nodiscard]] bool has_room_for(std::size_t lines) const;
  void admit(std::unique_lock<std::mutex>& lock, std::size_t lines, Clock::time_point deadline, WhenFull when_full);
  [[nodiscard]] bool has_line_for(const WorkRequest& request) const;
  void await_requests(std::unique_lock<std::mutex>& lock, const WorkRequest& request);
  [[nodiscard]] NumberedLine begin_line();
  [[nodiscard]] std::optional<RunningLine> end_line(std::uint64_t number);
  void drop(Request& request);
  void refuse(Request& request, const std::exception_ptr& error);
  void refuse_all(const std::exception_ptr& error);
  void work();

  TranslateLines translate_;
  QueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable_any work_came_;
  std::condition_variable became_idle_;
  std::condition_variable room_came_;
  std::list<std::shared_ptr<Request>> waiting_;             ///< the requests with lines not yet taken
  std::unordered_map<std::uint64_t, RunningLine> running_;  ///< lines under way, by their numbers
  std::uint64_t next_number_ = 0;
  Batch batch_;
  QueueCounts counts_;
  bool stopping_ = false;
  std::thread worker_;  ///< the last member: it uses the others
};

}  // namespace translate::tools

#include "translate/serving/batch_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <iterator>
#include <utility>

namespace translate {
namespace {

constexpr std::size_t kTurn = 16;  // lines of one request before the next one has its turn

/// After a batch of several requests, those who were answered often ask again, one after the other: were the first of
/// them translated at once, all others would wait for it. So as many are awaited, for a tenth of the batch's time.
constexpr auto kMostPatience = std::chrono::milliseconds(10);

constexpr auto kStopping = "the server is stopping";

/// Calls `translate`, which must give a result for each line.
std::vector<Candidates> checked(const TranslateLines& translate, std::span<const std::string> lines) {
  auto results = translate(lines);
  if (results.size() != lines.size() || std::ranges::any_of(results, &Candidates::empty)) {
    throw RuntimeError(fmt::format("translating {} lines gave {} results", lines.size(), results.size()));
  }
  return results;
}

}  // namespace

/// What one call of BatchQueue::translate waits for. Guarded by the queue's mutex.
struct BatchQueue::Request {
  std::vector<std::string> lines;
  std::vector<Candidates> results;
  std::size_t taken = 0;  ///< lines that are in a batch, or were
  std::size_t done = 0;   ///< lines with results
  std::exception_ptr error;
  std::condition_variable answered;

  [[nodiscard]] bool is_over() const { return error != nullptr || done == lines.size(); }
};

/// Some lines of a request in a batch; of nobody's interest but the worker's until it is delivered.
struct BatchQueue::Piece {
  std::shared_ptr<Request> request;
  std::size_t first = 0;
  std::vector<std::string> lines;
  std::vector<Candidates> results;
  std::exception_ptr error;
};

BatchQueue::BatchQueue(TranslateLines translate, const QueueOptions& options)
    : translate_(std::move(translate)), options_(options), worker_([this] { work(); }) {}

BatchQueue::~BatchQueue() {
  stop();
  worker_.join();
}

std::vector<Candidates> BatchQueue::translate(std::vector<std::string> lines, Clock::time_point deadline) {
  if (lines.empty()) {
    return {};
  }
  const auto request = std::make_shared<Request>();
  request->results.resize(lines.size());
  request->lines = std::move(lines);
  std::unique_lock lock(mutex_);
  if (stopping_) {
    throw QueueRefusal(Refusal::kStopping, kStopping);
  }
  if (request->lines.size() > options_.max_waiting - std::min(counts_.waiting, options_.max_waiting)) {
    throw QueueRefusal(Refusal::kFull, fmt::format("too much to do: {} lines wait, of {} at most; try again later",
                                                   counts_.waiting, options_.max_waiting));
  }
  counts_.waiting += request->lines.size();
  waiting_.push_back(request);
  work_came_.notify_one();
  if (!request->answered.wait_until(lock, deadline, [&] { return request->is_over(); })) {
    drop(*request);
    throw QueueRefusal(Refusal::kLate, "no translation within the time limit");
  }
  if (request->error) {
    std::rethrow_exception(request->error);
  }
  return std::move(request->results);
}

void BatchQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  const auto error = [] { return std::make_exception_ptr(QueueRefusal(Refusal::kStopping, kStopping)); };
  while (!waiting_.empty()) {
    const auto request = waiting_.front();
    fail(*request, error());
  }
  for (const auto& request : running_) {
    fail(*request, error());
  }
  work_came_.notify_all();
}

bool BatchQueue::wait_until_idle(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_until(lock, deadline, [this] { return running_.empty() && waiting_.empty(); });
}

QueueCounts BatchQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

/// What is not taken of the request never will be.
void BatchQueue::drop(Request& request) {
  const auto place = std::ranges::find(waiting_, &request, &std::shared_ptr<Request>::get);
  if (place != waiting_.end()) {
    counts_.waiting -= request.lines.size() - request.taken;
    waiting_.erase(place);
  }
}

/// Gives a request that is not answered yet an error.
void BatchQueue::fail(Request& request, const std::exception_ptr& error) {
  drop(request);
  if (!request.is_over()) {
    request.error = error;
    request.answered.notify_one();
  }
}

std::vector<BatchQueue::Piece> BatchQueue::take() {
  std::vector<Piece> batch;
  std::size_t size = 0;
  while (!waiting_.empty() && size < options_.max_batch) {
    const auto request = waiting_.front();
    waiting_.pop_front();
    const auto count = std::min({kTurn, options_.max_batch - size, request->lines.size() - request->taken});
    Piece piece{.request = request, .first = request->taken, .lines = {}, .results = {}, .error = nullptr};
    for (std::size_t i = 0; i < count; ++i) {
      piece.lines.push_back(std::move(request->lines[request->taken++]));
    }
    batch.push_back(std::move(piece));
    size += count;
    running_.insert(request);
    if (request->taken < request->lines.size()) {
      waiting_.push_back(request);
    }
  }
  counts_.waiting -= size;
  counts_.lines += size;
  counts_.largest = std::max(counts_.largest, size);
  ++counts_.batches;
  ++counts_.sizes[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(size - 1)), QueueCounts::kSizes - 1)];
  return batch;
}

/// Without the lock: nothing here is seen by others before deliver().
void BatchQueue::compute(std::vector<Piece>& batch) const {
  try {
    std::vector<std::string> lines;
    for (const auto& piece : batch) {
      lines.insert(lines.end(), piece.lines.begin(), piece.lines.end());
    }
    auto results = checked(translate_, lines);
    auto next = std::make_move_iterator(results.begin());
    for (auto& piece : batch) {
      const auto end = next + std::ssize(piece.lines);
      piece.results.assign(next, end);
      next = end;
    }
    return;
  } catch (...) {
    if (batch.size() == 1) {
      batch.front().error = std::current_exception();
      return;
    }
  }
  for (auto& piece : batch) {  // whose fault was it?
    try {
      piece.results = checked(translate_, piece.lines);
    } catch (...) {
      piece.error = std::current_exception();
    }
  }
}

void BatchQueue::deliver(std::vector<Piece>& batch) {
  running_.clear();
  for (auto& piece : batch) {
    auto& request = *piece.request;
    if (piece.error) {
      fail(request, piece.error);
      continue;
    }
    std::ranges::move(piece.results, request.results.begin() + static_cast<std::ptrdiff_t>(piece.first));
    request.done += piece.lines.size();
    if (request.is_over()) {
      request.answered.notify_one();
    }
  }
  if (waiting_.empty()) {
    became_idle_.notify_all();
  }
}

void BatchQueue::work() {
  std::unique_lock lock(mutex_);
  Clock::time_point no_later = {};
  std::size_t expected = 0;
  while (true) {
    work_came_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    work_came_.wait_until(lock, no_later, [&] { return stopping_ || waiting_.size() >= expected; });
    if (waiting_.empty()) {
      if (stopping_) {
        return;
      }
      continue;  // who asked is gone again
    }
    auto batch = take();
    expected = running_.size();
    lock.unlock();
    const auto start = Clock::now();
    compute(batch);
    const auto end = Clock::now();
    no_later = expected < 2 ? end : end + std::min<Clock::duration>((end - start) / 10, kMostPatience);
    lock.lock();
    deliver(batch);
  }
}

}  // namespace translate

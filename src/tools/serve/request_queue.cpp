#include "serve/request_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <functional>
#include <utility>

namespace translate::tools {

namespace {

/// After a batch that no line could join, its clients often send their next requests one after the other: if the first
/// of them were translated at once, all others would wait for it. So the queue waits for as many requests, for a tenth
/// of the batch's time.
constexpr auto kLongestGathering = std::chrono::milliseconds(10);

constexpr auto kLate = "no translation within the time limit";
constexpr auto kStopping = "the server is stopping";

Candidates texts_of(Translation translation) {
  Candidates texts;
  for (auto& candidate : translation.nbest) {
    texts.push_back({.text = std::move(candidate.text),
                     .score = candidate.score,
                     .confidence = candidate.confidence,
                     .alignment = std::move(candidate.alignment),
                     .missing_terms = std::move(candidate.missing_terms)});
  }
  if (texts.empty()) {
    texts.push_back({.text = std::move(translation.text),
                     .score = translation.score});  // of a blank line, which has no n-best list
  }
  texts.front().unknown_words = std::move(translation.unknown_words);
  texts.front().unseen_words = std::move(translation.unseen_words);
  return texts;
}

}  // namespace

QueueCounts& QueueCounts::operator+=(const QueueCounts& other) {
  waiting += other.waiting;
  under_way += other.under_way;
  lines += other.lines;
  together += other.together;
  largest = std::max(largest, other.largest);
  std::ranges::transform(sizes, other.sizes, sizes.begin(), std::plus());
  return *this;
}

/// The state of one call of RequestQueue::translate. Guarded by the queue's mutex.
struct RequestQueue::Request {
  std::vector<SourceLine> lines;
  std::vector<Candidates> results;
  std::size_t taken = 0;  ///< lines that are or were under way
  std::size_t done = 0;   ///< lines with results
  std::exception_ptr error;
  std::condition_variable answered;

  [[nodiscard]] bool is_over() const { return error != nullptr || done == lines.size(); }
};

RequestQueue::RequestQueue(TranslateLines translate, const QueueOptions& options)
    : translate_(std::move(translate)), options_(options), worker_([this] { work(); }) {}

RequestQueue::~RequestQueue() {
  stop();
  worker_.join();
}

bool RequestQueue::has_room_for(std::size_t lines) const {
  return lines <= options_.max_waiting - std::min(counts_.waiting, options_.max_waiting);
}

/// Returns when there is room for so many lines.
void RequestQueue::admit(std::unique_lock<std::mutex>& lock, std::size_t lines, Clock::time_point deadline,
                         WhenFull when_full) {
  const auto may_enter = [&] { return stopping_ || has_room_for(lines); };
  if (when_full == WhenFull::kWait && lines <= options_.max_waiting &&
      !room_came_.wait_until(lock, deadline, may_enter)) {
    throw QueueRefusal(Refusal::kLate, kLate);
  }
  if (stopping_) {
    throw QueueRefusal(Refusal::kStopping, kStopping);
  }
  if (!has_room_for(lines)) {
    throw QueueRefusal(Refusal::kFull, fmt::format("too much to do: {} lines wait, of {} at most; try again later",
                                                   counts_.waiting, options_.max_waiting));
  }
}

std::vector<Candidates> RequestQueue::translate(std::vector<SourceLine> lines, Clock::time_point deadline,
                                                WhenFull when_full) {
  if (lines.empty()) {
    return {};
  }
  const auto request = std::make_shared<Request>();
  request->results.resize(lines.size());
  request->lines = std::move(lines);
  std::unique_lock lock(mutex_);
  admit(lock, request->lines.size(), deadline, when_full);
  waiting_.push_back(request);
  counts_.waiting += request->lines.size();
  work_came_.notify_all();
  if (!request->answered.wait_until(lock, deadline, [&] { return request->is_over(); })) {
    drop(*request);
    throw QueueRefusal(Refusal::kLate, kLate);
  }
  if (request->error) {
    std::rethrow_exception(request->error);
  }
  return std::move(request->results);
}

void RequestQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  refuse_all(std::make_exception_ptr(QueueRefusal(Refusal::kStopping, kStopping)));
  room_came_.notify_all();
  work_came_.notify_all();
}

bool RequestQueue::wait_until_idle(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_until(lock, deadline, [this] { return running_.empty() && waiting_.empty(); });
}

QueueCounts RequestQueue::counts() const {
  const std::lock_guard lock(mutex_);
  auto counts = counts_;
  counts.under_way = running_.size();
  return counts;
}

/// Drops the lines of the request that have not been taken.
void RequestQueue::drop(Request& request) {
  const auto place = std::ranges::find(waiting_, &request, &std::shared_ptr<Request>::get);
  if (place != waiting_.end()) {
    counts_.waiting -= request.lines.size() - request.taken;
    waiting_.erase(place);
    room_came_.notify_all();
  }
  if (running_.empty() && waiting_.empty()) {
    became_idle_.notify_all();
  }
}

/// Answers a request with an error, unless it is answered already.
void RequestQueue::refuse(Request& request, const std::exception_ptr& error) {
  drop(request);
  if (!request.is_over()) {
    request.error = error;
    request.answered.notify_one();
  }
}

void RequestQueue::refuse_all(const std::exception_ptr& error) {
  while (!waiting_.empty()) {
    const auto request = waiting_.front();
    refuse(*request, error);
  }
  for (const auto& [number, line] : running_) {
    refuse(*line.request, error);
  }
}

/// Returns whether a thread may take a line: not if others have much less to do.
bool RequestQueue::has_line_for(const WorkRequest& request) const {
  if (waiting_.empty() || running_.size() >= options_.max_batch) {
    return false;
  }
  const auto threads = std::max<std::size_t>(request.threads, 1);
  const auto share = (counts_.waiting + running_.size() + threads - 1) / threads;
  return request.waits || request.under_way < share;
}

std::optional<NumberedLine> RequestQueue::take(const WorkRequest& request) {
  std::unique_lock lock(mutex_);
  if (request.waits) {
    if (request.in_batches) {
      await_requests(lock, request);
    }
    work_came_.wait(lock, request.stop, [&] { return stopping_ || has_line_for(request); });
  }
  if (stopping_ || !has_line_for(request)) {
    return std::nullopt;
  }
  if (request.waits && request.in_batches) {
    batch_ = {.start = Clock::now(), .requests = waiting_.size()};
  }
  return begin_line();
}

/// Waits for more requests before the next batch.
void RequestQueue::await_requests(std::unique_lock<std::mutex>& lock, const WorkRequest& request) {
  const auto end = Clock::now();
  const auto gathering = std::min<Clock::duration>((end - batch_.start) / 10, kLongestGathering);
  if (batch_.requests > 1) {
    work_came_.wait_until(lock, request.stop, end + gathering,
                          [&] { return stopping_ || waiting_.size() >= batch_.requests; });
  }
}

/// Begins the next line of the request whose turn it is.
NumberedLine RequestQueue::begin_line() {
  const auto request = waiting_.front();
  const auto number = next_number_++;
  running_.emplace(
      number, RunningLine{.request = request, .index = request->taken});  // if this throws, nothing has changed yet
  const auto index = request->taken++;
  if (request->taken < request->lines.size()) {
    waiting_.splice(waiting_.end(), waiting_, waiting_.begin());
  } else {
    waiting_.pop_front();
  }
  const auto together = running_.size();
  --counts_.waiting;
  room_came_.notify_all();
  ++counts_.lines;
  counts_.together += together;
  counts_.largest = std::max(counts_.largest, together);
  const auto size = static_cast<std::size_t>(std::bit_width(together - 1));
  ++counts_.sizes[std::min(size, QueueCounts::kSizes - 1)];
  return {.number = number, .line = std::move(request->lines[index])};
}

/// Removes the line of that number from those under way.
std::optional<RequestQueue::RunningLine> RequestQueue::end_line(std::uint64_t number) {
  auto entry = running_.extract(number);
  if (entry.empty()) {
    return std::nullopt;  // the translator gave up before
  }
  if (!waiting_.empty()) {
    work_came_.notify_all();  // there is room for one more
  } else if (running_.empty()) {
    became_idle_.notify_all();
  }
  return std::move(entry.mapped());
}

void RequestQueue::give(std::uint64_t number, Translation translation) {
  auto texts = texts_of(std::move(translation));
  const std::lock_guard lock(mutex_);
  if (const auto line = end_line(number)) {
    auto& request = *line->request;
    request.results[line->index] = std::move(texts);
    ++request.done;
    if (request.is_over()) {
      request.answered.notify_one();
    }
  }
}

void RequestQueue::fail(std::uint64_t number, const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  if (const auto line = end_line(number)) {
    refuse(*line->request, error);
  }
}

void RequestQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_came_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) {
      return;
    }
    lock.unlock();
    std::exception_ptr error;
    try {
      translate_(*this);
      error = std::make_exception_ptr(RuntimeError("translating ended though there were lines to translate"));
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (!stopping_) {
      refuse_all(error);
    }
    running_.clear();
    became_idle_.notify_all();
  }
}

}  // namespace translate::tools

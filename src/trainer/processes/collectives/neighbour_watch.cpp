#include "processes/collectives/neighbour_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"

namespace translate::trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kInterval = std::chrono::milliseconds(500);        // between two exchanges of signs
constexpr auto kLeavingInterval = std::chrono::milliseconds(20);  // the same at the end of training
constexpr auto kLeavingLimit = std::chrono::seconds(10);
constexpr auto kPulseLimit = std::chrono::seconds(4);    // without a pulse, after a connection was lost
constexpr auto kSearchLimit = std::chrono::seconds(12);  // for the process that was lost
constexpr auto kRecordLimit = std::chrono::seconds(3);   // until a failure is recorded
constexpr const char* kFailureKey = "failure";

std::string sign_key(int rank) { return fmt::format("sign/{}", rank); }

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// A process at the end of training; after a failure, one that has read its record.
enum Leaving : int { kWorks = 0, kWantsToLeave = 1, kLeaves = 2, kKnowsFailure = 3 };

/// The signs of a process: the numbers of its pulses and of its reports of progress, its step and its host.
struct Sign {
  std::int64_t pulse = 0;
  std::int64_t progress = 0;
  std::int64_t step = 0;
  int leaving = kWorks;
  std::string host;
};

std::string to_text(const Sign& sign) {
  return fmt::format("{} {} {} {} {}", sign.pulse, sign.progress, sign.step, sign.leaving, sign.host);
}

Sign to_sign(const std::vector<std::uint8_t>& bytes) {
  Sign sign;
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  text >> sign.pulse >> sign.progress >> sign.step >> sign.leaving >> sign.host;
  return sign;
}

/// The latest sign of a process, and when it changed, by this process's clock.
struct Neighbour {
  Sign sign;
  Clock::time_point pulse_changed = Clock::now();
  Clock::time_point progress_changed = Clock::now();
};

std::string name_of(int rank, const Neighbour& neighbour) {
  return fmt::format("the process of rank {} on host {} (step {})", rank, neighbour.sign.host, neighbour.sign.step);
}

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

/// The state that both threads share.
class NeighbourWatch::Impl {
 public:
  Impl(c10::intrusive_ptr<c10d::Store> store, int rank, int size, const std::string& host)
      : store_(std::move(store)),
        rank_(rank),
        has_sign_(static_cast<std::size_t>(size)),
        neighbours_(static_cast<std::size_t>(size)) {
    own_.host = host;
    for (auto& neighbour : neighbours_) {
      neighbour.sign.host = "unknown";
    }
  }

  /// The watching thread.
  void run() {
    for (std::unique_lock lock(mutex_); !ending_;) {
      const auto to_record = to_record_;
      ++own_.pulse;
      own_.progress += long_works_ > 0 ? 1 : 0;
      const auto own = own_;
      lock.unlock();
      exchange(own, to_record);
      lock.lock();
      const auto interval = own_.leaving == kWorks ? kInterval : kLeavingInterval;
      wakened_.wait_for(lock, interval,
                        [&] { return ending_ || (to_record_ && !recorded_) || own_.leaving != own.leaving; });
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  void progress(std::optional<std::int64_t> step) {
    const std::scoped_lock lock(mutex_);
    ++own_.progress;
    own_.step = step.value_or(own_.step);
  }

  void change_long_works(int change) {
    const std::scoped_lock lock(mutex_);
    long_works_ += change;
    ++own_.progress;
  }

  void leave_together() {
    const auto wait_until_all = [this](std::unique_lock<std::mutex>& lock, Leaving stage) {
      own_.leaving = stage;
      wakened_.notify_all();
      changed_.wait_for(lock, kLeavingLimit, [&] { return failure_ || all_have_come_to(stage); });
    };
    std::unique_lock lock(mutex_);
    wait_until_all(lock, kWantsToLeave);
    if (rank_ == 0) {
      wait_until_all(lock, kLeaves);
    } else {
      own_.leaving = kLeaves;
      left_ = false;
      wakened_.notify_all();
      changed_.wait_for(lock, kRecordLimit, [this] { return failure_ || left_; });
    }
  }

  std::optional<ProcessFailure> failure(std::chrono::milliseconds silence) const {
    const std::scoped_lock lock(mutex_);
    if (failure_) {
      return failure_;
    }
    const auto now = Clock::now();
    if (now - answered_ > silence) {
      return ProcessFailure{
          fmt::format("the store of the training has not answered for {:.0f} s: the process or "
                      "machine that serves it has stopped, or the network has",
                      seconds(now - answered_))};
    }
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      const auto waited = now - neighbours_[i].progress_changed;
      if (std::cmp_not_equal(i, rank_) && waited > silence) {
        return ProcessFailure{fmt::format("{} has given no sign of life for {:.0f} s",
                                          name_of(static_cast<int>(i), neighbours_[i]), seconds(waited))};
      }
    }
    return std::nullopt;
  }

  ProcessFailure find_lost_process() const {
    const auto end = Clock::now() + kSearchLimit;
    for (std::unique_lock lock(mutex_); Clock::now() < end; changed_.wait_for(lock, kInterval)) {
      if (failure_) {
        return *failure_;
      }
      if (const auto lost = without_pulse(kPulseLimit)) {
        return {fmt::format("{} has ended or was cut off without a message",
                            name_of(static_cast<int>(*lost), neighbours_[*lost]))};
      }
      if (Clock::now() - answered_ > kPulseLimit) {
        return {fmt::format("the store of the training is gone: {} served it, or the launcher",
                            name_of(/*rank=*/0, neighbours_.front()))};
      }
    }
    return {"the connection to another process was lost, but all of them still give signs of life"};
  }

  void record(const ProcessFailure& failure) {
    std::unique_lock lock(mutex_);
    to_record_ = failure;
    wakened_.notify_all();
    changed_.wait_for(lock, kRecordLimit, [this] { return recorded_ || ended_; });
    if (rank_ == 0) {
      changed_.wait_for(lock, kRecordLimit, [this] { return all_have_come_to(kKnowsFailure) || ended_; });
    }
  }

  /// Returns false if the thread does not end in time.
  bool end() {
    std::unique_lock lock(mutex_);
    ending_ = true;
    wakened_.notify_all();
    return changed_.wait_for(lock, kRecordLimit, [this] { return ended_; });
  }

 private:
  /// Writes this process's signs, and its record of a failure, and reads those of all. Failing to do so changes
  /// nothing, so that answered_ grows old.
  void exchange(const Sign& own, const std::optional<ProcessFailure>& to_record) {
    try {
      store_->set(sign_key(rank_), bytes_of(to_text(own)));
      if (to_record) {
        const auto value = fmt::format("{} {}", to_record->exit_code, to_record->message);
        (void)store_->compareSet(kFailureKey, std::vector<std::uint8_t>(), bytes_of(value));
      }
      const auto signs = read_signs();
      std::optional<ProcessFailure> failure;
      if (store_->check({kFailureKey})) {
        failure = to_failure(store_->get(kFailureKey));
      }
      take(signs, failure, to_record.has_value(), own.leaving);
    } catch (const std::exception&) {
      // The store's process may have ended, which is no error once training has ended, too.
    }
  }

  /// Reads the signs of all processes that have given one, in one request: with many processes, the store could not
  /// answer a request for each pair of them.
  std::vector<std::pair<std::size_t, Sign>> read_signs() {
    std::vector<std::size_t> ranks;
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < has_sign_.size(); ++i) {
      const auto key = sign_key(static_cast<int>(i));
      has_sign_[i] = has_sign_[i] || store_->check({key});
      if (has_sign_[i]) {
        ranks.push_back(i);
        keys.push_back(key);
      }
    }
    const auto values = store_->multiGet(keys);
    std::vector<std::pair<std::size_t, Sign>> signs;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      signs.emplace_back(ranks[i], to_sign(values[i]));
    }
    return signs;
  }

  static ProcessFailure to_failure(const std::vector<std::uint8_t>& bytes) {
    const std::string text(bytes.begin(), bytes.end());
    const auto space = text.find(' ');
    int exit_code = static_cast<int>(ExitCode::kFailed);  // unless the text says another one
    std::from_chars(text.data(), text.data() + text.size(), exit_code);
    return {.message = text.substr(space + 1), .exit_code = exit_code};
  }

  void take(const std::vector<std::pair<std::size_t, Sign>>& signs, const std::optional<ProcessFailure>& failure,
            bool recorded, int leaving) {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now();
    for (const auto& [rank, sign] : signs) {
      auto& neighbour = neighbours_[rank];
      if (sign.pulse != neighbour.sign.pulse) {
        neighbour.pulse_changed = now;
      }
      if (sign.progress != neighbour.sign.progress) {
        neighbour.progress_changed = now;
      }
      neighbour.sign = sign;
    }
    if (failure) {
      failure_ = failure;
      own_.leaving = kKnowsFailure;
    }
    recorded_ = recorded_ || recorded;
    left_ = left_ || leaving == kLeaves;
    answered_ = now;
    changed_.notify_all();
  }

  [[nodiscard]] bool all_have_come_to(Leaving stage) const {
    return std::ranges::all_of(neighbours_,
                               [&](const Neighbour& neighbour) { return neighbour.sign.leaving >= stage; });
  }

  /// Returns the other process whose pulse stopped first, if one has been without pulse for `limit`.
  [[nodiscard]] std::optional<std::size_t> without_pulse(std::chrono::milliseconds limit) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      if (std::cmp_equal(i, rank_) || answered_ - neighbours_[i].pulse_changed < limit) {
        continue;
      }
      if (!found || neighbours_[i].pulse_changed < neighbours_[*found].pulse_changed) {
        found = i;
      }
    }
    return found;
  }

  c10::intrusive_ptr<c10d::Store> store_;
  const int rank_;
  std::vector<bool> has_sign_;  ///< by rank; used by the watching thread alone
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;  ///< the thread has read something, or has ended
  std::condition_variable wakened_;          ///< the thread shall do something at once
  std::vector<Neighbour> neighbours_;        ///< by rank
  Sign own_;
  int long_works_ = 0;
  std::optional<ProcessFailure> failure_;    ///< the record in the store
  std::optional<ProcessFailure> to_record_;  ///< what this process records there
  bool recorded_ = false;
  bool left_ = false;  ///< the others can read that this process leaves
  bool ending_ = false;
  bool ended_ = false;
  Clock::time_point answered_ = Clock::now();  ///< the store's last answer
};

NeighbourWatch::NeighbourWatch(c10::intrusive_ptr<c10d::Store> store, int rank, int size, const std::string& host)
    : impl_(std::make_shared<Impl>(std::move(store), rank, size, host)) {
  std::thread([impl = impl_] { impl->run(); }).detach();
}

NeighbourWatch::~NeighbourWatch() { (void)impl_->end(); }

void NeighbourWatch::leave_together() { impl_->leave_together(); }
void NeighbourWatch::progress(std::int64_t step) { impl_->progress(step); }
void NeighbourWatch::progress() { impl_->progress(std::nullopt); }
void NeighbourWatch::begin_long_work() { impl_->change_long_works(1); }
void NeighbourWatch::end_long_work() { impl_->change_long_works(-1); }

std::optional<ProcessFailure> NeighbourWatch::failure(std::chrono::milliseconds silence) const {
  return impl_->failure(silence);
}

ProcessFailure NeighbourWatch::find_lost_process() const { return impl_->find_lost_process(); }
void NeighbourWatch::record(const ProcessFailure& failure) { impl_->record(failure); }

}  // namespace translate::trainer

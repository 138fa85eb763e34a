#include "translate/kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "translate/core/threads.h"

namespace translate {
namespace {

/// How long a thread looks out for work, or for the end of the others' work, before it goes to sleep: longer than what
/// lies between two parallel parts of a training step, shorter than what would keep other programs from running.
constexpr auto kPatience = std::chrono::microseconds(50);

thread_local bool inside_a_piece = false;

/// True once `done` is, within kPatience.
template <typename Condition>
bool comes_soon(const Condition& done) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) {
        return true;
      }
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

struct Job {
  const std::function<void(std::int64_t)>& work;
  std::int64_t count;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> helpers{0};  ///< that are at it
  std::exception_ptr error;              ///< guarded by the team's mutex

  Job(const std::function<void(std::int64_t)>& given, std::int64_t pieces) : work(given), count(pieces) {}

  /// Does pieces until none is left; what a piece throws ends the job for everybody.
  void take_part(std::mutex& mutex) {
    inside_a_piece = true;
    try {
      for (auto i = next++; i < count; i = next++) {
        work(i);
      }
    } catch (...) {
      next = count;
      const std::scoped_lock lock(mutex);
      if (!error) {
        error = std::current_exception();
      }
    }
    inside_a_piece = false;
  }
};

/// Threads that help whoever posts a job. One that wakes up late misses it: nobody waits for a thread that has not
/// begun.
class Team {
 public:
  ~Team() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
      ++posted_;
    }
    wake_.notify_all();
    for (auto& thread : threads_) {
      thread.join();
    }
  }

  /// False where another thread's job is under way: nothing was done.
  bool run(Job& job, std::int64_t helpers) {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn) {
      return false;
    }
    helpers = std::min(helpers, grow(helpers));
    {
      const std::scoped_lock lock(mutex_);
      job_ = &job;
      wanted_ = helpers;
      ++posted_;
    }
    wake_.notify_all();
    job.take_part(mutex_);
    {
      const std::scoped_lock lock(mutex_);
      job_ = nullptr;
    }
    const auto done = [&] { return job.helpers.load() == 0; };
    if (!comes_soon(done)) {
      std::unique_lock lock(mutex_);
      finished_.wait(lock, done);
    }
    return true;
  }

 private:
  /// Starts threads until there are so many. Returns how many there are: fewer where the system has no memory, or no
  /// processes, for more, which costs time and nothing else.
  std::int64_t grow(std::int64_t wanted) {
    try {
      while (std::ssize(threads_) < wanted) {
        threads_.emplace_back([this, index = std::ssize(threads_)] { serve(index); });
      }
    } catch (const std::system_error&) {  // the next job tries again
    }
    return std::ssize(threads_);
  }

  void serve(std::int64_t index) {
    std::uint64_t seen = 0;
    while (true) {
      const auto news = [&] { return posted_.load() != seen; };
      Job* job = nullptr;
      {
        const bool soon = comes_soon(news);
        std::unique_lock lock(mutex_);
        if (!soon) {
          wake_.wait(lock, news);
        }
        seen = posted_;
        if (ended_) {
          return;
        }
        if (job_ != nullptr && index < wanted_) {
          job = job_;
          ++job->helpers;
        }
      }
      if (job != nullptr) {
        job->take_part(mutex_);
        const std::scoped_lock lock(mutex_);  // the job lives until its helpers are gone, which is seen under this lock
        if (--job->helpers == 0) {
          finished_.notify_one();
        }
      }
    }
  }

  std::mutex turn_;   // of those who post jobs
  std::mutex mutex_;  // of what stands below
  std::condition_variable wake_;
  std::condition_variable finished_;
  std::atomic<std::uint64_t> posted_{0};  // jobs so far
  Job* job_ = nullptr;
  std::int64_t wanted_ = 0;  // helpers for it
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

Team& team() {
  static Team the_team;
  return the_team;
}

}  // namespace

void parallel_chunks(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  const auto helpers = std::min(count, parallel_threads()) - 1;
  Job job(work, count);
  if (helpers <= 0 || !team().run(job, helpers)) {
    for (std::int64_t i = 0; i < count; ++i) {
      work(i);
    }
    return;
  }
  if (job.error) {
    std::rethrow_exception(job.error);
  }
}

void parallel_ranges(std::int64_t count, std::int64_t size,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  parallel_chunks((count + size - 1) / size,
                  [&](std::int64_t range) { work(range * size, std::min((range + 1) * size, count)); });
}

std::int64_t parallel_threads() { return inside_a_piece ? 1 : kernel_threads(); }

}  // namespace translate

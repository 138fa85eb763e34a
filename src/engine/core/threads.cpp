#include "core/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/processor.h"

namespace translate {

namespace {

std::atomic<int> threads_of_kernels{0};  // 0: not set

/// The time a thread spins while it waits for work, or for the end of the others' work, before it sleeps: longer than
/// the gap between two parallel parts of a training step, too short to keep other programs from running.
constexpr auto kPatience = std::chrono::microseconds(50);

thread_local bool inside_a_chunk = false;  ///< this thread runs a chunk or is a worker

/// Spins until done() is true, at most for kPatience; returns whether it became true.
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

/// Runs `work` as a worker; its exception becomes `error` if there is none yet. Returns whether it ended without one.
/// `mutex` guards `error`.
template <typename Work>
bool run_as_worker(const Work& work, std::mutex& mutex, std::exception_ptr& error) {
  inside_a_chunk = true;
  bool ended_well = true;
  try {
    work();
  } catch (...) {
    ended_well = false;
    const std::scoped_lock lock(mutex);
    if (!error) {
      error = std::current_exception();
    }
  }
  inside_a_chunk = false;
  return ended_well;
}

struct Job {
  const std::function<void(std::int64_t)>& work;
  std::int64_t count;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> helpers{0};  ///< helpers at work
  std::exception_ptr error;              ///< guarded by the team's mutex

  Job(const std::function<void(std::int64_t)>& given, std::int64_t chunks) : work(given), count(chunks) {}

  /// Runs chunks until none is left; an exception of a chunk ends the job for all threads.
  void take_part(std::mutex& mutex) {
    const auto run_chunks = [this] {
      for (auto i = next++; i < count; i = next++) {
        work(i);
      }
    };
    if (!run_as_worker(run_chunks, mutex, error)) {
      next = count;
    }
  }
};

/// Threads that help the thread that posts a job. A helper that wakes up late misses the job: nobody waits for a helper
/// that has not begun.
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

  /// Returns false, without doing anything, if another thread's job is running.
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
  /// Starts threads until there are `wanted`. Returns their number, which is lower if the system lacks memory or
  /// processes for more; that costs only time.
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
        const std::scoped_lock lock(
            mutex_);  // the job lives until its helpers are done, which is checked under this lock
        if (--job->helpers == 0) {
          finished_.notify_one();
        }
      }
    }
  }

  std::mutex turn_;   // held by the thread that posts a job
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::condition_variable finished_;
  std::atomic<std::uint64_t> posted_{0};  // jobs so far
  Job* job_ = nullptr;
  std::int64_t wanted_ = 0;  // helpers wanted for the job
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

Team& team() {
  static Team the_team;
  return the_team;
}

}  // namespace

int set_kernel_threads(int threads) {
  const int wanted = threads > 0 ? threads : available_processors();
  threads_of_kernels = wanted;
  return wanted;
}

int kernel_threads() {
  const int threads = threads_of_kernels;
  return threads > 0 ? threads : set_kernel_threads(0);
}

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

void run_workers(std::int64_t count, const std::function<void()>& work) {
  if (count <= 1) {
    work();
    return;
  }
  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&] { run_as_worker(work, mutex, error); };
  std::vector<std::thread> threads;
  try {
    while (std::ssize(threads) < count - 1) {
      threads.emplace_back(run);
    }
  } catch (const std::system_error&) {  // the workers that there are do all the work
  }
  run();
  for (auto& thread : threads) {
    thread.join();
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

std::int64_t parallel_threads() { return inside_a_chunk ? 1 : kernel_threads(); }

}  // namespace translate

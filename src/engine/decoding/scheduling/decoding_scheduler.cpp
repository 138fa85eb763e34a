#include "decoding/scheduling/decoding_scheduler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/threads.h"

namespace translate {

namespace {

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

/// Sentences that are all known from the start.
class ListedSentences : public SentenceSource {
 public:
  ListedSentences(const SearchOptions& options, std::span<Sentence* const> sentences) : queue_(options) {
    queue_.add_sorted(sentences);
  }

  [[nodiscard]] Extent extent() const override { return queue_.extent(); }
  [[nodiscard]] std::vector<Sentence*> take(const WorkRequest& request) override { return queue_.take(request); }
  void done(Sentence& /*sentence*/) override {}
  void failed(Sentence& /*sentence*/, const std::exception_ptr& error) override { std::rethrow_exception(error); }

 private:
  SentenceQueue queue_;
};

}  // namespace

void SentenceQueue::add(std::span<Sentence* const> sentences) {
  const std::scoped_lock lock(mutex_);
  waiting_.insert(waiting_.end(), sentences.begin(), sentences.end());
}

void SentenceQueue::add_sorted(std::span<Sentence* const> sentences) {
  const std::scoped_lock lock(mutex_);
  waiting_.insert(waiting_.end(), sentences.begin(), sentences.end());
  std::ranges::stable_sort(waiting_, std::greater(),
                           [](const Sentence* sentence) { return sentence->encoder_input.size(); });
}

bool SentenceQueue::is_empty() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.empty();
}

SentenceSource::Extent SentenceQueue::extent() const {
  const std::scoped_lock lock(mutex_);
  SentenceSource::Extent extent{.sentences = std::ssize(waiting_), .cost = 0};
  for (const auto* sentence : waiting_) {
    extent.cost += decoding_cost(options_, *sentence);
  }
  return extent;
}

bool SentenceQueue::take(const WorkRequest& request, std::vector<Sentence*>& taken) {
  const std::scoped_lock lock(mutex_);
  std::int64_t sum = 0;
  std::int64_t largest = 0;
  const auto count = [&](const Sentence& sentence) {
    const auto cost = decoding_cost(options_, sentence);
    sum += cost;
    largest = std::max(largest, cost);
  };
  for (const auto* sentence : taken) {
    count(*sentence);
  }
  while (!waiting_.empty()) {
    count(*waiting_.front());
    const auto needed = request.in_batches ? largest * (std::ssize(taken) + 1) : sum;
    if (needed > request.room && !(taken.empty() && request.waits)) {
      return false;
    }
    taken.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return sum < request.room || (taken.empty() && request.waits);
}

std::vector<Sentence*> SentenceQueue::take(const WorkRequest& request) {
  std::vector<Sentence*> taken;
  take(request, taken);
  return taken;
}

/// Failures while several threads decoded. After the first failure no thread takes more sentences, so that the
/// remaining sentences of the failed threads can be decoded separately.
struct DecodingScheduler::Failures {
  std::stop_source stop;
  std::mutex mutex;
  std::int64_t threads = 0;     ///< number of failed threads
  std::vector<Sentence*> left;  ///< their sentences that have not ended
  std::exception_ptr error;     ///< the first

  void add(const std::vector<Sentence*>& unfinished, std::exception_ptr why) {
    {
      const std::scoped_lock lock(mutex);
      ++threads;
      left.insert(left.end(), unfinished.begin(), unfinished.end());
      error = error ? error : std::move(why);
    }
    stop.request_stop();
  }
};

DecodingScheduler::DecodingScheduler(std::shared_ptr<const InferenceModel> model, SearchOptions options)
    : model_(std::move(model)), options_(std::move(options)), limit_(model_->device(), "translating") {}

void DecodingScheduler::decode(std::span<Sentence* const> sentences) {
  ListedSentences source(options_, sentences);
  decode(source);
}

void DecodingScheduler::decode(SentenceSource& source) {
  while (true) {
    const auto extent = source.extent();
    if (extent.sentences == 0) {
      return;
    }
    const auto threads = model_->runs_side_by_side() ? std::min(extent.sentences, parallel_threads()) : 1;
    Failures failures;
    const Share share{
        .capacity = divided_up(std::min(capacity(), extent.cost), threads),  // so that all threads end together
        .threads = threads,
        .stop = failures.stop.get_token()};
    run_workers(threads, [&] {
      std::optional<SentenceBatch> batch;
      try {
        batch.emplace(*model_, options_);
        work(
            *batch, share, [&](const WorkRequest& request) { return source.take(request); },
            [&](Sentence& sentence) { source.done(sentence); });
      } catch (...) {
        failures.add(batch ? batch->abandon() : std::vector<Sentence*>(), std::current_exception());
      }
    });
    if (!failures.error) {
      return;
    }
    if (failures.left.empty()) {
      std::rethrow_exception(failures.error);  // no sentence caused it
    }
    decode_again(failures, threads, source);
  }
}

/// Decodes until there are no more sentences to take, or `share.stop` is requested, and all sentences taken have ended.
void DecodingScheduler::work(SentenceBatch& batch, const Share& share, const Take& take,
                             const SentenceBatch::Ended& ended) {
  while (true) {
    const auto room = share.capacity - batch.cost();
    const bool starts = batch.is_empty();
    if (!share.stop.stop_requested() && (starts || (batch.can_join() && 4 * room >= share.capacity))) {
      auto joining = take({.room = room,
                           .waits = starts,
                           .in_batches = !batch.can_join(),
                           .under_way = static_cast<std::size_t>(batch.under_way()),
                           .threads = static_cast<std::size_t>(share.threads),
                           .stop = share.stop});
      if (!joining.empty()) {
        batch.add(std::move(joining));
      }
    }
    if (batch.is_empty()) {
      return;
    }
    batch.step(ended);
  }
}

std::int64_t DecodingScheduler::capacity() const {
  return limit_.rows_at_once(options_.decoding.batch_tokens, /*width=*/1);
}

/// Decodes the remaining sentences of failed threads: in smaller batches after a lack of memory, otherwise one by one,
/// so that the sentence at fault is found. `threads`: the number of threads that had been decoding.
void DecodingScheduler::decode_again(const Failures& failures, std::int64_t threads, SentenceSource& source) {
  bool one_by_one = false;
  try {
    std::rethrow_exception(failures.error);
  } catch (const std::exception& error) {
    one_by_one = !model_->device()->is_out_of_memory(error);
    const auto left = std::ssize(failures.left);
    if (!one_by_one && left > failures.threads) {  // otherwise no smaller batch would help
      lower_limit(failures.left, divided_up(left * threads, failures.threads), error);
    }
  }
  SentenceQueue queue(options_);
  queue.add_sorted(failures.left);
  while (!queue.is_empty()) {
    SentenceBatch batch(*model_, options_);
    try {
      work(
          batch, {.capacity = one_by_one ? 1 : capacity()},
          [&](const WorkRequest& request) { return queue.take(request); },
          [&](Sentence& sentence) { source.done(sentence); });
    } catch (const std::exception& error) {
      const auto unfinished = batch.abandon();
      if (std::ssize(unfinished) > 1) {
        queue.add_sorted(unfinished);
      }
      one_by_one = one_by_one || !model_->device()->is_out_of_memory(error);
      if (unfinished.empty() || (!one_by_one && std::ssize(unfinished) > 1)) {
        lower_limit(unfinished, std::ssize(unfinished), error);
      } else if (std::ssize(unfinished) == 1) {
        fail(*unfinished.front(), error, source);
      }
    }
  }
}

/// Reports the error of a sentence that was decoded alone. Must be called in the handler that caught it.
void DecodingScheduler::fail(Sentence& sentence, const std::exception& error, SentenceSource& source) {
  std::exception_ptr reason;
  try {
    lower_limit({&sentence}, 1, error);
  } catch (...) {
    reason = std::current_exception();  // its message says what to do about memory
  }
  source.failed(sentence, reason);
}

/// Lowers the limit after `error` stopped the decoding of so many sentences together: these and others like them.
void DecodingScheduler::lower_limit(const std::vector<Sentence*>& sentences, std::int64_t together,
                                    const std::exception& error) {
  std::int64_t cost = 0;
  for (const auto* sentence : sentences) {
    cost += decoding_cost(options_, *sentence);
  }
  const auto count = std::max<std::int64_t>(std::ssize(sentences), 1);
  limit_.lower(together, divided_up(cost, count), error);
}

}  // namespace translate

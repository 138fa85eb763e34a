#include "decoding/scheduling/decoding_loop.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/memory.h"
#include "core/processor.h"
#include "decoding/scheduling/sentence_queue.h"
#include "decoding/scheduling/session_runner.h"

namespace translate {

namespace {

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

/// Sentences of a source once more.
class SecondTry : public SentenceQueue {
 public:
  SecondTry(const SearchOptions& options, std::vector<Sentence*> sentences, SentenceSource& source)
      : SentenceQueue(options, std::move(sentences)), source_(source) {}

  void done(Sentence& sentence) override { source_.done(sentence); }
  void failed(Sentence& sentence, const std::exception_ptr& error) override { source_.failed(sentence, error); }

 private:
  SentenceSource& source_;
};

}  // namespace

/// Runners at work together. Where one fails all of them take no more, so that what it left can be decoded alone.
struct DecodingLoop::Round {
  std::int64_t runners = 1;
  std::stop_source stop;
  std::mutex mutex;
  std::int64_t broken = 0;      ///< runners that failed
  std::vector<Sentence*> left;  ///< what they had not finished
  std::exception_ptr error;     ///< the first

  void break_off(const std::vector<Sentence*>& unfinished, std::exception_ptr why) {
    {
      const std::scoped_lock lock(mutex);
      ++broken;
      left.insert(left.end(), unfinished.begin(), unfinished.end());
      error = error ? error : std::move(why);
    }
    stop.request_stop();
  }
};

DecodingLoop::DecodingLoop(std::shared_ptr<const InferenceModel> model, SearchOptions options,
                           const c10::Device& device)
    : model_(std::move(model)), options_(std::move(options)), limit_(device, "translating") {}

void DecodingLoop::decode(std::span<Sentence> sentences) {
  SentenceQueue queue(options_, sentences);
  decode(queue);
}

void DecodingLoop::decode(SentenceSource& source) {
  while (true) {
    Round round;
    decode_together(source, round);
    if (!round.error) {
      return;
    }
    if (round.left.empty()) {
      std::rethrow_exception(round.error);  // it was no sentence's fault
    }
    decode_again(round, source);
  }
}

std::int64_t DecodingLoop::capacity() const { return limit_.rows_at_once(options_.decoding.batch_tokens, /*width=*/1); }

void DecodingLoop::decode_together(SentenceSource& source, Round& round) {
  const auto extent = source.extent();
  if (extent.sentences == 0) {
    return;
  }
  round.runners = model_->runs_side_by_side() ? std::min(extent.sentences, parallel_threads()) : 1;
  const RunnerShare share{
      .capacity = divided_up(std::min(capacity(), extent.cost), round.runners),  // they end together
      .takers = round.runners};
  parallel_chunks(round.runners, [&](std::int64_t) {
    std::optional<SessionRunner> runner;
    try {
      runner.emplace(*model_, options_, share, source);
      runner->run(round.stop.get_token());
    } catch (...) {
      round.break_off(runner ? runner->abandon() : std::vector<Sentence*>(), std::current_exception());
    }
  });
}

/// What a round left: in smaller batches for want of memory, else one by one, so that who is to blame shows.
void DecodingLoop::decode_again(const Round& round, SentenceSource& source) {
  bool one_by_one = false;
  try {
    std::rethrow_exception(round.error);
  } catch (const std::exception& error) {
    one_by_one = !is_out_of_memory(error);
    if (!one_by_one && std::ssize(round.left) > round.broken) {  // else no smaller batch would have helped
      lower_limit(round.left, divided_up(std::ssize(round.left) * round.runners, round.broken), error);
    }
  }
  SecondTry queue(options_, round.left, source);
  while (!queue.is_empty()) {
    SessionRunner runner(*model_, options_, {.capacity = one_by_one ? 1 : capacity()}, queue);
    try {
      runner.run();
    } catch (const std::exception& error) {
      const auto unfinished = runner.abandon();
      if (std::ssize(unfinished) > 1) {
        queue.put_back(unfinished);
      }
      one_by_one = one_by_one || !is_out_of_memory(error);
      if (unfinished.empty() || (!one_by_one && std::ssize(unfinished) > 1)) {
        lower_limit(unfinished, std::ssize(unfinished), error);
      } else if (std::ssize(unfinished) == 1) {
        fail(*unfinished.front(), error, source);
      }
    }
  }
}

/// The error of a sentence that was decoded alone. To be called where it was caught.
void DecodingLoop::fail(Sentence& sentence, const std::exception& error, SentenceSource& source) {
  std::exception_ptr reason;
  try {
    lower_limit({&sentence}, 1, error);
  } catch (...) {
    reason = std::current_exception();  // says what to do about memory
  }
  source.failed(sentence, reason);
}

/// After `error` stopped the decoding of so many sentences together, these and others like them.
void DecodingLoop::lower_limit(const std::vector<Sentence*>& sentences, std::int64_t together,
                               const std::exception& error) {
  std::int64_t cost = 0;
  for (const auto* sentence : sentences) {
    cost += SentenceSource::cost(options_, *sentence);
  }
  const auto count = std::max<std::int64_t>(std::ssize(sentences), 1);
  limit_.lower(together, divided_up(cost, count), error);
}

}  // namespace translate

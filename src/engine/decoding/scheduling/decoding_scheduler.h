#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "core/chunk_limit.h"
#include "decoding/scheduling/sentence_batch.h"
#include "decoding/search/search.h"
#include "inference/decoding_session.h"

namespace translate {

/// A request of one of the scheduler's threads for more work.
struct WorkRequest {
  std::int64_t room = 0;    ///< the most that the sentences' costs (see decoding_cost) may sum to
  bool waits = false;       ///< nothing is being decoded: wait for work, and take one sentence even if it does not fit
  bool in_batches = false;  ///< these sentences are padded to the longest one, and none joins them later
  std::size_t under_way = 0;  ///< sentences that the thread already has, this batch included
  std::size_t threads = 1;    ///< threads that share the source: none should have much more than its part
  std::stop_token stop = {};  ///< ends the waiting
};

/// The source of a DecodingScheduler's sentences, which is told when they are decoded. Called by several threads at
/// once.
class SentenceSource {
 public:
  /// An upper bound of the work to come.
  struct Extent {
    std::int64_t sentences = std::numeric_limits<std::int64_t>::max();
    std::int64_t cost = std::numeric_limits<std::int64_t>::max();
  };

  SentenceSource() = default;
  virtual ~SentenceSource() = default;
  SentenceSource(const SentenceSource&) = delete;
  SentenceSource& operator=(const SentenceSource&) = delete;

  [[nodiscard]] virtual Extent extent() const { return {}; }

  /// The next sentences, which must stay in place until done() or failed(). An empty result for a request that waits
  /// means that there will be no more, or that `stop` was requested.
  [[nodiscard]] virtual std::vector<Sentence*> take(const WorkRequest& request) = 0;

  /// Called when the sentence has its hypotheses. Must not throw.
  virtual void done(Sentence& sentence) = 0;

  /// Called if the sentence cannot be decoded, not even alone. An exception thrown here ends the scheduler's work.
  virtual void failed(Sentence& sentence, const std::exception_ptr& error) = 0;
};

/// Sentences that wait to be decoded, in their order. For any number of threads.
class SentenceQueue {
 public:
  /// The options must outlive it.
  explicit SentenceQueue(const SearchOptions& options) : options_(options) {}

  /// Adds sentences behind the others.
  void add(std::span<Sentence* const> sentences);
  /// The same, but first sorts the longest sentences to the front: the sentences of a batch then have similar lengths,
  /// and the last batches are the shortest.
  void add_sorted(std::span<Sentence* const> sentences);

  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] SentenceSource::Extent extent() const;

  /// Moves sentences from the front to the end of `taken`, which holds the sentences that the request has already
  /// received, as long as they fit in its room. Returns whether more sentences are wanted: the queue is empty and there
  /// is room left.
  bool take(const WorkRequest& request, std::vector<Sentence*>& taken);
  /// The same for a request that has received nothing yet.
  [[nodiscard]] std::vector<Sentence*> take(const WorkRequest& request);

 private:
  const SearchOptions& options_;
  mutable std::mutex mutex_;
  std::deque<Sentence*> waiting_;
};

/// Decodes sentences with any search and any model: together, as many at a time as decoding.batch_tokens allow, and on
/// several threads if the model's sessions run side by side. If sessions let sentences join, later sentences do not
/// wait for those being decoded: they join as soon as a quarter of the room is free, since encoding several together is
/// faster. Otherwise the next batch begins when the last sentence of a batch has ended. A sentence's results do not
/// depend on the others, as far as the model's results do not.
class DecodingScheduler {
 public:
  DecodingScheduler(std::shared_ptr<const InferenceModel> model, SearchOptions options);

  [[nodiscard]] const SearchOptions& options() const { return options_; }

  /// Fills in Sentence::hypotheses. If memory does not suffice, fewer sentences are decoded at a time from then on.
  /// Throws RuntimeError if memory does not suffice for one sentence alone, or if the model's logits are not numbers.
  void decode(std::span<Sentence* const> sentences);

  /// The same for sentences as they arrive, until the source has no more. An error, also a lack of memory, belongs only
  /// to the sentences that still fail when each is decoded alone: the source is told, and the others are decoded.
  void decode(SentenceSource& source);

 private:
  using Take = std::function<std::vector<Sentence*>(const WorkRequest& request)>;
  /// One thread's share of the work.
  struct Share {
    std::int64_t capacity;      ///< bounds the sum of the costs under way; one sentence is always taken
    std::int64_t threads = 1;   ///< threads that share the source
    std::stop_token stop = {};  ///< ends taking, not decoding
  };
  struct Failures;

  static void work(SentenceBatch& batch, const Share& share, const Take& take, const SentenceBatch::Ended& ended);
  void decode_again(const Failures& failures, std::int64_t threads, SentenceSource& source);
  void fail(Sentence& sentence, const std::exception& error, SentenceSource& source);
  [[nodiscard]] std::int64_t capacity() const;
  void lower_limit(const std::vector<Sentence*>& sentences, std::int64_t together, const std::exception& error);

  std::shared_ptr<const InferenceModel> model_;
  SearchOptions options_;
  ChunkLimit limit_;
};

}  // namespace translate

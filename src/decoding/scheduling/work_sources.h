#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/search/search.h"
#include "decoding/translation.h"

namespace translate {

/// A request of one of the scheduler's threads for more work.
struct WorkRequest {
  std::int64_t room = 0;    ///< the sentences' costs (see decoding_cost) must fit in together; lines ignore it
  bool waits = false;       ///< nothing is being decoded: wait for work, and take one sentence even if it does not fit
  bool in_batches = false;  ///< these sentences are padded to the longest one, and none joins them later
  std::size_t under_way = 0;  ///< sentences that the thread already has, this batch included
  std::size_t takers = 1;     ///< threads that take from the source: none should have much more than its share
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

/// A line to translate, and the number by which its source knows it.
struct NumberedLine {
  std::uint64_t number;
  std::string text;
};

/// The source of lines that arrive while a Translator translates others; it receives their translations. Called by
/// several threads at once.
class LineSource {
 public:
  LineSource() = default;
  virtual ~LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// Returns the next line. An empty result for a request that waits means that there will be no more, or that `stop`
  /// was requested.
  [[nodiscard]] virtual std::optional<NumberedLine> take(const WorkRequest& request) = 0;

  /// Each line that was taken receives its translation or its error, in any order. Neither function may throw.
  virtual void give(std::uint64_t number, Translation translation) = 0;
  virtual void fail(std::uint64_t number, const std::exception_ptr& error) = 0;
};

}  // namespace translate

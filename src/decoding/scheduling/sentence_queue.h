#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/search/search.h"

namespace translate {

/// Where a DecodingLoop gets its sentences, and who is told what became of them: a file's, all there from the start, or
/// those of requests that come while others are decoded. For any number of threads.
class SentenceSource {
 public:
  /// Who asks for which sentences.
  struct Request {
    std::int64_t room;    ///< in which their costs are to fit together
    bool idle = false;    ///< nothing is under way: give at least one, however long it is; wait until there is one
    bool padded = false;  ///< each is counted as long as the longest; none can join them before they end
    std::int64_t under_way = 0;  ///< sentences that who asks is decoding
    std::int64_t takers = 1;     ///< who ask in turn
    std::stop_token stop = {};   ///< ends the waiting
  };
  /// What is to come at most.
  struct Extent {
    std::int64_t sentences = std::numeric_limits<std::int64_t>::max();
    std::int64_t cost = std::numeric_limits<std::int64_t>::max();
  };

  /// What a sentence takes up: its source subwords once for each row that it may grow to.
  [[nodiscard]] static std::int64_t cost(const SearchOptions& options, const Sentence& sentence);

  SentenceSource() = default;
  virtual ~SentenceSource() = default;
  SentenceSource(const SentenceSource&) = delete;
  SentenceSource& operator=(const SentenceSource&) = delete;

  [[nodiscard]] virtual Extent extent() const { return {}; }

  /// The next sentences, which stay where they are until done() or failed(). None for who is idle: there will be no
  /// more, or `stop` was requested.
  [[nodiscard]] virtual std::vector<Sentence*> take(const Request& request) = 0;

  /// The sentence has its hypotheses. Must not throw.
  virtual void done(Sentence& sentence) = 0;

  /// The sentence cannot be decoded, not even alone. What it throws ends the loop.
  virtual void failed(Sentence& sentence, const std::exception_ptr& error) = 0;
};

/// Sentences that are all there, the longest first. It never waits.
class SentenceQueue : public SentenceSource {
 public:
  /// Options and sentences must outlive it.
  SentenceQueue(const SearchOptions& options, std::span<Sentence> sentences);
  SentenceQueue(const SearchOptions& options, std::vector<Sentence*> sentences);

  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::vector<Sentence*> take(const Request& request) override;
  void done(Sentence& /*sentence*/) override {}
  /// Throws the error.
  void failed(Sentence& /*sentence*/, const std::exception_ptr& error) override { std::rethrow_exception(error); }

  /// Puts sentences back that could not be decoded.
  void put_back(std::span<Sentence* const> sentences);

  [[nodiscard]] bool is_empty() const;

 private:
  void sort();

  const SearchOptions& options_;
  mutable std::mutex mutex_;
  std::vector<Sentence*> waiting_;  ///< the longest last
};

}  // namespace translate

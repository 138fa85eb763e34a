#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "translate/decoding/search_options.h"

namespace translate {

/// The sentences that still wait to be decoded, the longest first. For any number of threads.
class SentenceQueue {
 public:
  /// What a sentence takes up: its source pieces once for each row that it may grow to.
  [[nodiscard]] static std::int64_t cost(const SearchOptions& options, const Sentence& sentence);

  SentenceQueue(const SearchOptions& options, std::span<Sentence> sentences);

  /// How many sentences for which room.
  struct Request {
    std::int64_t room;          ///< in which their costs are to fit together
    bool at_least_one = false;  ///< however long it is
    bool padded = false;        ///< each is counted as long as the first
  };
  /// Takes out the next sentences.
  [[nodiscard]] std::vector<Sentence*> take(const Request& request);

  /// Puts sentences back that could not be decoded.
  void put_back(std::span<Sentence* const> sentences);

  [[nodiscard]] bool is_empty() const;
  /// Of what waits now.
  [[nodiscard]] std::int64_t total_cost() const;

 private:
  void sort();

  const SearchOptions& options_;
  mutable std::mutex mutex_;
  std::vector<Sentence*> waiting_;  ///< the longest last
};

}  // namespace translate

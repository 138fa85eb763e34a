#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translate/decoding/search_options.h"
#include "translate/inference/decoding_session.h"

namespace translate {

/// A hypothesis that goes on: from which row, with which piece.
struct Continuation {
  std::int64_t row;  ///< of this sentence, counted from 0
  std::int64_t piece;
};

/// The search for one sentence's translations. It begins with one row, in which nothing was said; in each step every
/// row is read once, in any order, then advance() says which rows there are from then on.
class SentenceSearch {
 public:
  SentenceSearch() = default;
  virtual ~SentenceSearch() = default;
  SentenceSearch(const SentenceSearch&) = delete;
  SentenceSearch& operator=(const SentenceSearch&) = delete;

  /// Rows now; 0: the search has ended.
  [[nodiscard]] virtual std::int64_t rows() const = 0;

  /// Takes in what may come next in a row. May change next.logits.
  virtual void read(std::int64_t row, const NextPiece& next) = 0;

  /// Ends the step. The new rows, those of the same parent side by side and parents in their order.
  virtual std::span<const Continuation> advance() = 0;

  /// What was found, best first; after the end.
  [[nodiscard]] virtual std::vector<Hypothesis> results() const = 0;
};

/// The search that options and sentence ask for; both must outlive it.
[[nodiscard]] std::unique_ptr<SentenceSearch> make_search(const SearchOptions& options, const Sentence& sentence);

}  // namespace translate

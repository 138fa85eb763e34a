#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include "translate/decoding/search_options.h"
#include "translate/decoding/sentence_source.h"

namespace translate {

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

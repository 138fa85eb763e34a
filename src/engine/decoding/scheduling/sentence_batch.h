#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoding/search/search.h"
#include "inference/decoding_session.h"

namespace translate {

/// The sentences that are decoded together in one session: a search for each, which owns consecutive rows. Where the
/// session lets sentences join, ended ones leave at once. Otherwise the rows of ended sentences are dropped when rows
/// move anyway, or when a quarter of them has ended.
class SentenceBatch {
 public:
  /// Called for each sentence when it has its hypotheses. The batch does not touch the sentence afterwards.
  using Ended = std::function<void(Sentence& sentence)>;

  /// Model and options must outlive it.
  SentenceBatch(const InferenceModel& model, const SearchOptions& options);

  /// Whether there is no row left to step.
  [[nodiscard]] bool is_empty() const { return running_.empty(); }
  /// Whether add() is allowed while the batch is not empty.
  [[nodiscard]] bool can_join() const { return session_->can_join(); }
  /// Sentences that have not ended.
  [[nodiscard]] std::int64_t under_way() const { return under_way_; }
  /// The sum of their costs (see decoding_cost).
  [[nodiscard]] std::int64_t cost() const { return cost_; }

  /// Begins sentences, which are encoded together. They must stay in place until they have ended.
  void add(std::vector<Sentence*> sentences);

  /// Generates one subword in each row.
  void step(const Ended& ended);

  /// After add() or step() threw: gives up the session and returns the sentences that have not ended.
  [[nodiscard]] std::vector<Sentence*> abandon();

 private:
  /// A sentence and its rows, which follow those of the sentence before.
  struct Running {
    Sentence* sentence;
    std::unique_ptr<SentenceSearch> search;  ///< null: the sentence has ended and its rows idle
    std::int64_t rows;
    std::span<const Continuation> next;  ///< its rows after this step
  };
  struct RowOwner {
    SentenceSearch* search;  ///< null if the row idles
    std::int64_t row;        ///< within its sentence
  };
  /// The result of a step over all sentences.
  struct Outcome {
    bool moves = false;     ///< some row continues in another place
    std::int64_t rows = 0;  ///< in the session now
    std::int64_t idle = 0;  ///< rows whose sentence has ended
  };

  [[nodiscard]] Outcome advance_searches(const Ended& ended);
  void rearrange(bool moves, bool drops_idle);
  void append_rows(Running& running, std::int64_t first);

  const SearchOptions& options_;
  std::unique_ptr<DecodingSession> session_;
  DecodingSession::Reader reader_;
  std::vector<Sentence*> joining_;  ///< taken, but not yet in the session
  std::vector<Running> running_;
  std::int64_t under_way_ = 0;
  std::int64_t cost_ = 0;
  std::vector<RowOwner> owners_;
  std::vector<std::int64_t> subwords_;  ///< the newest subword of each row
  std::vector<std::int64_t> parents_;   ///< the row before this step that each row continues
};

}  // namespace translate

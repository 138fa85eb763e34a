#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "translate/decoding/search_options.h"
#include "translate/decoding/sentence_queue.h"
#include "translate/decoding/sentence_search.h"
#include "translate/inference/decoding_session.h"

namespace translate {

/// Decodes sentences of a queue in one session: takes in what there is room for, steps, lets go what has ended. Where
/// the session lets sentences join, they do so as soon as a quarter of the room is free (they are encoded together,
/// which is quicker), and ended ones leave at once; else the next come when the last of a batch has ended, and rows of
/// ended ones are dropped when rows move anyway or a quarter of them has ended.
class SessionRunner {
 public:
  /// `capacity`: the costs of the sentences under way are within it together, but one sentence is always taken. Model,
  /// options and queue must outlive it.
  SessionRunner(const InferenceModel& model, const SearchOptions& options, std::int64_t capacity, SentenceQueue& queue);

  /// Until the queue is empty and all is decoded.
  void run();

  /// After run() threw: gives up the session and tells whose decoding it broke off.
  [[nodiscard]] std::vector<Sentence*> abandon();

 private:
  /// A sentence and its rows, which follow those of the sentence before.
  struct Running {
    Sentence* sentence;
    std::unique_ptr<SentenceSearch> search;  ///< nothing: it has ended, its rows idle
    std::int64_t rows;
    std::span<const Continuation> next;  ///< its rows after this step
  };
  struct RowOwner {
    SentenceSearch* search;  ///< nothing where the row idles
    std::int64_t row;        ///< of its sentence
  };

  [[nodiscard]] bool admit();
  void add(const std::vector<Sentence*>& sentences);
  void step();
  /// What a step has come to, over all sentences.
  struct Outcome {
    bool moves = false;     ///< some row goes on in another place
    std::int64_t rows = 0;  ///< in the session now
    std::int64_t idle = 0;  ///< of them, whose sentence has ended
  };
  [[nodiscard]] Outcome advance_searches();
  void rearrange(bool moves, bool drops_idle);
  void append_rows(Running& running, std::int64_t first);

  const SearchOptions& options_;
  std::int64_t capacity_;
  SentenceQueue& queue_;
  std::unique_ptr<DecodingSession> session_;
  DecodingSession::Reader reader_;
  std::vector<Running> running_;
  std::int64_t used_ = 0;  ///< costs of those that have not ended
  std::vector<RowOwner> owners_;
  std::vector<std::int64_t> pieces_;   ///< each row's newest
  std::vector<std::int64_t> parents_;  ///< each row's row before
};

}  // namespace translate

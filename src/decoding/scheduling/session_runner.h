#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/scheduling/sentence_queue.h"
#include "decoding/search/search.h"
#include "inference/decoding_session.h"

namespace translate {

/// How much a SessionRunner takes.
struct RunnerShare {
  std::int64_t capacity;    ///< the costs of the sentences under way are within it together, but one is always taken
  std::int64_t takers = 1;  ///< runners that share a source
};

/// Decodes sentences of a source in one session: takes in what there is room for, steps, lets go what has ended. Where
/// the session lets sentences join, they do so as soon as a quarter of the room is free (they are encoded together,
/// which is quicker), and ended ones leave at once; else the next come when the last of a batch has ended, and rows of
/// ended ones are dropped when rows move anyway or a quarter of them has ended.
class SessionRunner {
 public:
  /// Model, options and source must outlive it.
  SessionRunner(const InferenceModel& model, const SearchOptions& options, const RunnerShare& share,
                SentenceSource& source);

  /// Until the source has no more sentences, or `stop` is requested, and all that was taken is decoded.
  void run(const std::stop_token& stop = {});

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

  [[nodiscard]] bool admit(const std::stop_token& stop);
  void add();
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
  RunnerShare share_;
  SentenceSource& source_;
  std::unique_ptr<DecodingSession> session_;
  DecodingSession::Reader reader_;
  std::vector<Sentence*> joining_;  ///< taken, but not yet in the session
  std::vector<Running> running_;
  std::int64_t under_way_ = 0;  ///< those of them that have not ended
  std::int64_t used_ = 0;       ///< their costs
  std::vector<RowOwner> owners_;
  std::vector<std::int64_t> subwords_;  ///< each row's newest
  std::vector<std::int64_t> parents_;   ///< each row's row before
};

}  // namespace translate

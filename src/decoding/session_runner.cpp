#include "translate/decoding/session_runner.h"

#include <utility>

namespace translate {
namespace {

/// Whether every row goes on once, where it is.
bool stays(std::span<const Continuation> next, std::int64_t rows) {
  if (std::ssize(next) != rows) {
    return false;
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i].row != static_cast<std::int64_t>(i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

SessionRunner::SessionRunner(const InferenceModel& model, const SearchOptions& options, std::int64_t capacity,
                             SentenceQueue& queue)
    : options_(options),
      capacity_(capacity),
      queue_(queue),
      session_(model.start({.attention = options.alignments})),
      reader_([this](std::int64_t row, const NextPiece& next) {
        const auto& owner = owners_[static_cast<std::size_t>(row)];
        if (owner.search != nullptr) {
          owner.search->read(owner.row, next);
        }
      }) {}

void SessionRunner::run() {
  while (admit()) {
    step();
  }
}

std::vector<Sentence*> SessionRunner::abandon() {
  session_.reset();
  std::vector<Sentence*> unfinished;
  for (const auto& running : running_) {
    if (running.search) {
      unfinished.push_back(running.sentence);
    }
  }
  running_.clear();
  return unfinished;
}

/// False where there is nothing to do any more.
bool SessionRunner::admit() {
  const auto room = capacity_ - used_;
  const bool starts = running_.empty();
  if (starts || (session_->can_join() && 4 * room >= capacity_)) {
    const auto sentences = queue_.take({.room = room, .at_least_one = starts, .padded = !session_->can_join()});
    if (!sentences.empty()) {
      add(sentences);
    }
  }
  return !running_.empty();
}

void SessionRunner::add(const std::vector<Sentence*>& sentences) {
  std::vector<std::span<const std::int64_t>> sources;
  for (auto* sentence : sentences) {
    sources.emplace_back(sentence->encoder_input);
    running_.push_back({.sentence = sentence, .search = make_search(options_, *sentence), .rows = 1, .next = {}});
    used_ += SentenceQueue::cost(options_, *sentence);
    owners_.push_back({.search = running_.back().search.get(), .row = 0});
    pieces_.push_back(options_.target.sos);
  }
  session_->add(sources);
}

void SessionRunner::step() {
  session_->step(pieces_, reader_);
  const auto outcome = advance_searches();
  const bool drops_idle =
      outcome.idle > 0 && (session_->can_join() || outcome.moves || 4 * outcome.idle >= outcome.rows);
  rearrange(outcome.moves, drops_idle);
}

SessionRunner::Outcome SessionRunner::advance_searches() {
  Outcome outcome;
  for (auto& running : running_) {
    outcome.rows += running.rows;
    if (running.search) {
      running.next = running.search->advance();
      if (running.next.empty()) {
        running.sentence->hypotheses = running.search->results();
        running.search.reset();
        used_ -= SentenceQueue::cost(options_, *running.sentence);
      } else if (!stays(running.next, running.rows)) {
        outcome.moves = true;
      }
    }
    outcome.idle += running.search ? 0 : running.rows;
  }
  return outcome;
}

void SessionRunner::rearrange(bool moves, bool drops_idle) {
  owners_.clear();
  pieces_.clear();
  parents_.clear();
  std::int64_t first = 0;
  for (auto& running : running_) {
    const auto rows = running.rows;
    if (running.search || !drops_idle) {
      append_rows(running, first);
    }
    first += rows;
  }
  if (drops_idle) {
    std::erase_if(running_, [](const Running& running) { return !running.search; });
  }
  if (moves || drops_idle) {
    session_->select(parents_);
  }
}

/// `first`: of its rows before.
void SessionRunner::append_rows(Running& running, std::int64_t first) {
  if (!running.search) {
    for (std::int64_t row = 0; row < running.rows; ++row) {
      parents_.push_back(first + row);
      pieces_.push_back(options_.target.eos);  // any would do
      owners_.push_back({.search = nullptr, .row = 0});
    }
    return;
  }
  running.rows = std::ssize(running.next);
  for (std::int64_t row = 0; row < running.rows; ++row) {
    const auto& next = running.next[static_cast<std::size_t>(row)];
    parents_.push_back(first + next.row);
    pieces_.push_back(next.piece);
    owners_.push_back({.search = running.search.get(), .row = row});
  }
}

}  // namespace translate

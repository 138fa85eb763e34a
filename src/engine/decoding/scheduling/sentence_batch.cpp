#include "decoding/scheduling/sentence_batch.h"

#include <algorithm>
#include <utility>

namespace translate {

namespace {

/// Returns whether every row continues once, in its place.
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

SentenceBatch::SentenceBatch(const InferenceModel& model, const SearchOptions& options)
    : options_(options), session_(model.start()), reader_([this](std::int64_t row, const NextSubword& next) {
        const auto& owner = owners_[static_cast<std::size_t>(row)];
        if (owner.search != nullptr) {
          owner.search->read(owner.row, next);
        }
      }) {}

void SentenceBatch::add(std::vector<Sentence*> sentences) {
  joining_ = std::move(sentences);
  std::vector<std::span<const std::int64_t>> sources;
  std::vector<std::vector<std::int64_t>> lists;
  for (auto* sentence : joining_) {
    sources.emplace_back(sentence->encoder_input);
    if (options_.shortlist) {
      lists.push_back(listed_subwords(options_, *sentence));
    }
    running_.push_back({.sentence = sentence, .search = make_search(options_, *sentence), .rows = 1, .next = {}});
    cost_ += decoding_cost(options_, *sentence);
    owners_.push_back({.search = running_.back().search.get(), .row = 0});
    subwords_.push_back(options_.target.sos);
  }
  session_->add(sources, std::vector<std::span<const std::int64_t>>(lists.begin(), lists.end()));
  under_way_ += std::ssize(joining_);
  joining_.clear();
}

std::vector<Sentence*> SentenceBatch::abandon() {
  session_.reset();
  auto unfinished = std::move(joining_);
  const auto joining = std::ssize(unfinished);
  for (const auto& running : running_) {
    const auto end = unfinished.begin() + joining;
    if (running.search && std::find(unfinished.begin(), end, running.sentence) == end) {
      unfinished.push_back(running.sentence);
    }
  }
  running_.clear();
  return unfinished;
}

void SentenceBatch::step(const Ended& ended) {
  session_->give_attention(std::ranges::any_of(
      running_, [](const Running& running) { return running.search && running.sentence->is_aligned; }));
  session_->step(subwords_, reader_);
  const auto outcome = advance_searches(ended);
  const bool drops_idle =
      outcome.idle > 0 && (session_->can_join() || outcome.moves || 4 * outcome.idle >= outcome.rows);
  rearrange(outcome.moves, drops_idle);
}

SentenceBatch::Outcome SentenceBatch::advance_searches(const Ended& ended) {
  Outcome outcome;
  for (auto& running : running_) {
    outcome.rows += running.rows;
    if (running.search) {
      running.next = running.search->advance();
      if (running.next.empty()) {
        running.sentence->hypotheses = running.search->results();
        running.search.reset();
        cost_ -= decoding_cost(options_, *running.sentence);
        --under_way_;
        ended(*running.sentence);  // the caller may destroy it from here on
      } else if (!stays(running.next, running.rows)) {
        outcome.moves = true;
      }
    }
    outcome.idle += running.search ? 0 : running.rows;
  }
  return outcome;
}

void SentenceBatch::rearrange(bool moves, bool drops_idle) {
  owners_.clear();
  subwords_.clear();
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

/// `first`: the first of its rows before this step.
void SentenceBatch::append_rows(Running& running, std::int64_t first) {
  if (!running.search) {
    for (std::int64_t row = 0; row < running.rows; ++row) {
      parents_.push_back(first + row);
      subwords_.push_back(options_.target.eos);  // any subword would do
      owners_.push_back({.search = nullptr, .row = 0});
    }
    return;
  }
  running.rows = std::ssize(running.next);
  for (std::int64_t row = 0; row < running.rows; ++row) {
    const auto& next = running.next[static_cast<std::size_t>(row)];
    parents_.push_back(first + next.row);
    subwords_.push_back(next.subword);
    owners_.push_back({.search = running.search.get(), .row = row});
  }
}

}  // namespace translate

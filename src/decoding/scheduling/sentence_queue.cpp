#include "decoding/scheduling/sentence_queue.h"

#include <algorithm>
#include <utility>

namespace translate {

std::int64_t SentenceSource::cost(const SearchOptions& options, const Sentence& sentence) {
  return std::ssize(sentence.encoder_input) * most_rows(options, sentence);
}

SentenceQueue::SentenceQueue(const SearchOptions& options, std::span<Sentence> sentences) : options_(options) {
  for (auto& sentence : sentences) {
    waiting_.push_back(&sentence);
  }
  sort();
}

SentenceQueue::SentenceQueue(const SearchOptions& options, std::vector<Sentence*> sentences)
    : options_(options), waiting_(std::move(sentences)) {
  sort();
}

void SentenceQueue::sort() {
  std::ranges::sort(waiting_, [](const Sentence* a, const Sentence* b) {  // of equal length, the first one comes first
    return std::pair(a->encoder_input.size(), b) < std::pair(b->encoder_input.size(), a);
  });
}

std::vector<Sentence*> SentenceQueue::take(const Request& request) {
  const std::scoped_lock lock(mutex_);
  std::vector<Sentence*> taken;
  auto room = request.room;
  while (!waiting_.empty()) {
    const auto& widest = request.padded && !taken.empty() ? *taken.front() : *waiting_.back();
    room -= cost(options_, widest);
    if (room < 0 && !(taken.empty() && request.idle)) {
      break;
    }
    taken.push_back(waiting_.back());
    waiting_.pop_back();
  }
  return taken;
}

void SentenceQueue::put_back(std::span<Sentence* const> sentences) {
  const std::scoped_lock lock(mutex_);
  waiting_.insert(waiting_.end(), sentences.begin(), sentences.end());
  sort();
}

bool SentenceQueue::is_empty() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.empty();
}

SentenceSource::Extent SentenceQueue::extent() const {
  const std::scoped_lock lock(mutex_);
  Extent extent{.sentences = std::ssize(waiting_), .cost = 0};
  for (const auto* sentence : waiting_) {
    extent.cost += cost(options_, *sentence);
  }
  return extent;
}

}  // namespace translate

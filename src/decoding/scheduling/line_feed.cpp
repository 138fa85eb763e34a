#include "decoding/scheduling/line_feed.h"

#include <algorithm>
#include <utility>

#include "decoding/translator.h"

namespace translate {

LineFeed::LineFeed(const Translator& translator, SearchOptions options, LineSource& source)
    : translator_(translator), options_(std::move(options)), source_(source) {}

std::vector<Sentence*> LineFeed::take(const Request& request) {
  std::vector<Sentence*> taken;
  while (take_ready(request, taken)) {
    const auto line = source_.take({.waits = request.idle && taken.empty(),
                                    .in_batches = request.padded,
                                    .under_way = static_cast<std::size_t>(request.under_way) + taken.size(),
                                    .takers = static_cast<std::size_t>(request.takers),
                                    .stop = request.stop});
    if (!line) {
      break;
    }
    prepare(*line);
  }
  return taken;
}

/// Takes sentences that are ready. Whether all of them fitted in, so that more lines are wanted.
bool LineFeed::take_ready(const Request& request, std::vector<Sentence*>& taken) {
  const std::scoped_lock lock(mutex_);
  std::int64_t sum = 0;
  std::int64_t largest = 0;
  for (const auto* sentence : taken) {
    sum += cost(options_, *sentence);
    largest = std::max(largest, cost(options_, *sentence));
  }
  while (!ready_.empty()) {
    const auto next = cost(options_, *ready_.front());
    sum += next;
    largest = std::max(largest, next);
    const auto needed = request.padded ? largest * (std::ssize(taken) + 1) : sum;
    if (needed > request.room && !(taken.empty() && request.idle)) {
      return false;
    }
    taken.push_back(ready_.front());
    ready_.pop_front();
  }
  return sum < request.room || (taken.empty() && request.idle);
}

void LineFeed::prepare(const NumberedLine& line) {
  try {
    make_sentences(line);
  } catch (...) {
    source_.fail(line.number, std::current_exception());
  }
}

void LineFeed::make_sentences(const NumberedLine& line) {
  constexpr std::int64_t kLine = 1;  // what is drawn for a line does not depend on when it came
  const auto made = std::make_shared<Line>();
  made->number = line.number;
  made->translation.source = translator_.readable(line.text, kLine);
  const auto& text = made->translation.source;
  auto parts = translator_.parts_of({.text = text, .target_prefix = ""}, kLine);
  if (parts.parts.empty()) {
    source_.give(line.number, std::move(made->translation));
    return;
  }
  translator_.warn_of_cut(parts, kLine);
  made->parts = std::move(parts.parts);
  make_ready(made);
}

void LineFeed::make_ready(const std::shared_ptr<Line>& line) {
  const std::scoped_lock lock(mutex_);
  line->missing = line->parts.size();
  for (auto& part : line->parts) {
    lines_.emplace(&part.sentence, line);
    ready_.push_back(&part.sentence);
  }
}

void LineFeed::done(Sentence& sentence) { end(sentence, nullptr); }

void LineFeed::failed(Sentence& sentence, const std::exception_ptr& error) { end(sentence, error); }

void LineFeed::end(Sentence& sentence, const std::exception_ptr& error) {
  std::shared_ptr<Line> line;
  {
    const std::scoped_lock lock(mutex_);
    line = std::move(lines_.extract(&sentence).mapped());
    line->error = line->error ? line->error : error;
    if (--line->missing > 0) {
      return;
    }
  }
  if (!line->error && translator_.text_.draws_more(line->parts)) {
    make_ready(line);
  } else {
    finish(*line);
  }
}

void LineFeed::finish(Line& line) {
  if (!line.error) {
    try {
      translator_.text_.fill(line.translation, line.parts);
    } catch (...) {
      line.error = std::current_exception();
    }
  }
  if (line.error) {
    source_.fail(line.number, line.error);
  } else {
    source_.give(line.number, std::move(line.translation));
  }
}

}  // namespace translate

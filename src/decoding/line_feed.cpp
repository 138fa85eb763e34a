#include "translate/decoding/line_feed.h"

#include <algorithm>
#include <utility>

#include "translate/core/utf8.h"
#include "translate/decoding/translator.h"
#include "translate/text/sequence_ids.h"

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
  if (is_blank(text)) {
    source_.give(line.number, std::move(made->translation));
    return;
  }
  made->parts = translator_.parts_of(text, encoder_input_ids(translator_.source_, text), kLine);
  made->missing = made->parts.size();
  for (auto& part : made->parts) {
    translator_.set_limit(part.sentence);
  }
  const std::scoped_lock lock(mutex_);
  for (auto& part : made->parts) {
    lines_.emplace(&part.sentence, made);
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
  finish(*line);
}

void LineFeed::finish(Line& line) {
  if (!line.error) {
    try {
      translator_.fill(line.translation, line.parts);
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

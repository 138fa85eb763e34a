#include "decoding/lines_under_way.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/system/allocator.h"
#include "core/threads.h"
#include "decoding/loop_repair.h"
#include "decoding/more_samples.h"
#include "decoding/term_requirement.h"

namespace translate {

namespace {

/// Calls work(i) for each line, on all threads.
template <class Work>
void for_each_line(std::size_t count, const Work& work) {
  constexpr std::int64_t kAtATime = 64;  // fewer lines are done before another thread wakes up
  parallel_ranges(static_cast<std::int64_t>(count), kAtATime, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) {
      work(static_cast<std::size_t>(i));
    }
  });
}

/// The parts of lines, as the scheduler asks for them. With sampling, the parts of a line that needs more samples are
/// decoded again.
class LineSentences : public SentenceSource {
 public:
  /// The arguments must outlive it.
  LineSentences(const CandidateText& text, const SearchOptions& options)
      : text_(text), ready_(options), options_(options.decoding) {}

  void done(Sentence& sentence) override { end(sentence, nullptr); }
  void failed(Sentence& sentence, const std::exception_ptr& error) override { end(sentence, error); }

 protected:
  /// Returns the parts of lines, which are then to be put into ready_.
  [[nodiscard]] std::vector<Sentence*> parts_of(const LinesUnderWay& lines);

  /// Called when all parts of a line have ended.
  virtual void ended(LineUnderWay& line) = 0;

  const CandidateText& text_;
  SentenceQueue ready_;

 private:
  void end(Sentence& sentence, const std::exception_ptr& error);

  const DecodingOptions& options_;
  std::mutex mutex_;  ///< guards the member below, and what is missing of its lines
  std::unordered_map<const Sentence*, std::shared_ptr<LineUnderWay>> lines_;  ///< of each sentence that has not ended
};

std::vector<Sentence*> LineSentences::parts_of(const LinesUnderWay& lines) {
  std::vector<Sentence*> sentences;
  const std::scoped_lock lock(mutex_);
  for (const auto& line : lines) {
    line->missing = 0;
    for (auto& part : line->parts.parts) {
      if (!part.plan.is_copied) {
        ++line->missing;
        sentences.push_back(&part.sentence);
        lines_.emplace(&part.sentence, line);
      }
    }
  }
  return sentences;
}

void LineSentences::end(Sentence& sentence, const std::exception_ptr& error) {
  if (!error && (needs_constrained_search(sentence) || searches_again(sentence, options_))) {
    Sentence* const again = &sentence;
    ready_.add({&again, 1});
    return;
  }
  std::shared_ptr<LineUnderWay> line;
  {
    const std::scoped_lock lock(mutex_);
    line = std::move(lines_.extract(&sentence).mapped());
    line->error = line->error ? line->error : error;
    if (--line->missing > 0) {
      return;
    }
  }
  if (!line->error && draws_more(line->parts.parts, options_, text_.target())) {
    ready_.add(parts_of({line}));
  } else {
    ended(*line);
  }
}

/// The parts of lines that are all known from the start; the longest ones come first. An error ends the work.
class ListedLines : public LineSentences {
 public:
  ListedLines(const CandidateText& text, const SearchOptions& options, const LinesUnderWay& lines)
      : LineSentences(text, options),
        has_long_line_(std::ranges::any_of(lines, [](const auto& line) { return line->parts.bytes > 0; })) {
    if (has_long_line_) {
      give_back_freed_memory();
    }
    ready_.add_sorted(parts_of(lines));
  }

  [[nodiscard]] Extent extent() const override { return ready_.extent(); }
  [[nodiscard]] std::vector<Sentence*> take(const WorkRequest& request) override { return ready_.take(request); }
  void done(Sentence& sentence) override;
  void failed(Sentence& /*sentence*/, const std::exception_ptr& error) override { std::rethrow_exception(error); }

 private:
  void ended(LineUnderWay& /*line*/) override {}

  bool has_long_line_;
  std::atomic<std::size_t> done_ = 0;
};

void ListedLines::done(Sentence& sentence) {
  // Splitting a line of megabytes, and decoding its parts, leaves small blocks all over the heap: the free memory
  // between them can be returned to the system, but hardly ever be reused.
  constexpr std::size_t kDecodedAtOnce = 2048;
  LineSentences::done(sentence);
  if (has_long_line_ && ++done_ % kDecodedAtOnce == 0) {
    give_back_freed_memory();
  }
}

/// The parts of a source's lines, which are encoded when the scheduler has room for them.
class ArrivingLines : public LineSentences {
 public:
  ArrivingLines(const LineEncoder& encoder, const CandidateText& text, const SearchOptions& options, LineSource& source)
      : LineSentences(text, options), encoder_(encoder), source_(source) {}

  [[nodiscard]] std::vector<Sentence*> take(const WorkRequest& request) override;

 private:
  void encode(const NumberedLine& line);
  void ended(LineUnderWay& line) override;

  const LineEncoder& encoder_;
  LineSource& source_;
};

std::vector<Sentence*> ArrivingLines::take(const WorkRequest& request) {
  std::vector<Sentence*> taken;
  auto for_line = request;
  while (ready_.take(request, taken)) {
    for_line.waits = request.waits && taken.empty();
    for_line.under_way = request.under_way + taken.size();
    const auto line = source_.take(for_line);
    if (!line) {
      break;
    }
    try {
      encode(*line);
    } catch (...) {
      source_.fail(line->number, std::current_exception());
    }
  }
  return taken;
}

void ArrivingLines::encode(const NumberedLine& line) {
  constexpr std::int64_t kLine = 1;  // samples of a line do not depend on its time of arrival
  const auto encoded = encode_lines(encoder_, {&line.line, 1}, kLine);
  encoded.front()->number = line.number;
  const auto parts = parts_of(encoded);
  if (parts.empty()) {
    ended(*encoded.front());
  } else {
    ready_.add(parts);
  }
}

void ArrivingLines::ended(LineUnderWay& line) {
  if (!line.error) {
    try {
      text_.fill(line.translation, line.parts);
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

}  // namespace

LinesUnderWay encode_lines(const LineEncoder& encoder, std::span<const SourceLine> lines, std::int64_t first_line) {
  const auto number = [&](std::size_t i) { return first_line + static_cast<std::int64_t>(i); };
  LinesUnderWay encoded;
  std::vector<std::string> prefixes;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    encoded.push_back(std::make_shared<LineUnderWay>());
    encoded.back()->translation.source = encoder.readable(lines[i].text, number(i));
    prefixes.push_back(encoder.readable(lines[i].target_prefix, number(i)));
  }
  for_each_line(lines.size(), [&](std::size_t i) {
    auto line = lines[i];
    line.text = encoded[i]->translation.source;
    line.target_prefix = std::move(prefixes[i]);
    encoded[i]->parts = encoder.encode(line, number(i));
  });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    encoder.warn_of_cut(encoded[i]->parts, number(i));
    encoder.warn_of_unknown_prefix(encoded[i]->parts, number(i));
  }
  return encoded;
}

std::vector<Translation> decode_lines(DecodingScheduler& scheduler, const CandidateText& text,
                                      const LinesUnderWay& lines) {
  ListedLines listed(text, scheduler.options(), lines);
  scheduler.decode(listed);
  return fill_lines(text, lines);
}

std::vector<Translation> fill_lines(const CandidateText& text, const LinesUnderWay& lines) {
  std::vector<Translation> translations(lines.size());
  for_each_line(lines.size(), [&](std::size_t i) {
    text.fill(lines[i]->translation, lines[i]->parts);
    translations[i] = std::move(lines[i]->translation);
  });
  return translations;
}

void decode_lines(DecodingScheduler& scheduler, const LineEncoder& encoder, const CandidateText& text,
                  LineSource& source) {
  ArrivingLines lines(encoder, text, scheduler.options(), source);
  scheduler.decode(lines);
}

}  // namespace translate

#include "decoding/translator.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/allocator.h"
#include "core/processor.h"
#include "languages/language_names.h"
#include "model/memory_need.h"
#include "text/control_subwords.h"

namespace translate {

namespace {

SearchOptions search_options(const TranslatorOptions& options, const Tokenizer& target) {
  const auto text_of = [target](const std::vector<std::int64_t>& ids) { return target.decode(ids); };
  return {.decoding = options.decoding,
          .target = target.special_tokens(),
          .control_subwords = control_subwords(target),
          .alignments = options.alignments,
          .text_of = text_of,
          .early_stopping = true};
}

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

/// The sentences of a source's lines, encoded as the scheduler has room for them, and the translations of their
/// hypotheses.
class ArrivingLines : public SentenceSource {
 public:
  /// All arguments must outlive it.
  ArrivingLines(const LineEncoder& encoder, const CandidateText& text, const SearchOptions& options, LineSource& source)
      : encoder_(encoder), text_(text), source_(source), ready_(options) {}

  [[nodiscard]] std::vector<Sentence*> take(const WorkRequest& request) override;
  void done(Sentence& sentence) override { end(sentence, nullptr); }
  void failed(Sentence& sentence, const std::exception_ptr& error) override { end(sentence, error); }

 private:
  /// A line whose sentences wait or are being decoded.
  struct Line {
    std::uint64_t number;
    Translation translation = {};
    LineParts parts = {};
    std::size_t missing = 0;  ///< parts without a result
    std::exception_ptr error = nullptr;
  };

  void encode(const NumberedLine& line);
  void make_ready(const std::shared_ptr<Line>& line);
  void end(Sentence& sentence, const std::exception_ptr& error);
  void finish(Line& line);

  const LineEncoder& encoder_;
  const CandidateText& text_;
  LineSource& source_;
  SentenceQueue ready_;
  std::mutex mutex_;                                                  ///< guards the members below
  std::unordered_map<const Sentence*, std::shared_ptr<Line>> lines_;  ///< of each sentence that has not ended
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
  const auto made = std::make_shared<Line>(Line{.number = line.number});
  made->translation.source = encoder_.readable(line.text, kLine);
  made->parts = encoder_.encode({.text = made->translation.source, .target_prefix = ""}, kLine);
  if (made->parts.parts.empty()) {
    source_.give(line.number, std::move(made->translation));
    return;
  }
  encoder_.warn_of_cut(made->parts, kLine);
  make_ready(made);
}

void ArrivingLines::make_ready(const std::shared_ptr<Line>& line) {
  std::vector<Sentence*> sentences;
  for (auto& part : line->parts.parts) {
    sentences.push_back(&part.sentence);
  }
  {
    const std::scoped_lock lock(mutex_);
    line->missing = sentences.size();
    for (const auto* sentence : sentences) {
      lines_.emplace(sentence, line);
    }
  }
  ready_.add(sentences);
}

void ArrivingLines::end(Sentence& sentence, const std::exception_ptr& error) {
  std::shared_ptr<Line> line;
  {
    const std::scoped_lock lock(mutex_);
    line = std::move(lines_.extract(&sentence).mapped());
    line->error = line->error ? line->error : error;
    if (--line->missing > 0) {
      return;
    }
  }
  if (!line->error && text_.draws_more(line->parts.parts)) {
    make_ready(line);
  } else {
    finish(*line);
  }
}

void ArrivingLines::finish(Line& line) {
  if (!line.error) {
    try {
      text_.fill(line.translation, line.parts.parts);
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

TranslatorOptions translator_options(const Config& config) {
  TranslatorOptions options;
  options.decoding = config.decoding;
  options.max_source_length = config.data.max_length;
  options.source_language = language_codes(config.data).source;
  if (config.model.positions == PositionKind::kLearned) {
    options.max_positions = config.model.max_positions;
    const auto around = has_language_tags(config.data) ? 3 : 2;  // sos, eos and a language tag
    options.max_source_length = std::min(options.max_source_length, config.model.max_positions - around);
    options.decoding.max_length = std::min(options.decoding.max_length, config.model.max_positions);
  }
  return options;
}

DecodingOptions greedy_options(const DecodingOptions& options) {
  DecodingOptions greedy;
  greedy.max_length = options.max_length;
  greedy.max_length_ratio = options.max_length_ratio;
  greedy.batch_tokens = options.batch_tokens;
  greedy.beam_size = 1;
  return greedy;
}

Translator::Translator(std::shared_ptr<const InferenceModel> model, Tokenizer source, Tokenizer target,
                       const TranslatorOptions& options)
    : encoder_(source, target, options),
      text_(source, target, options.decoding, {.alignments = options.alignments, .word_scores = options.word_scores}),
      scheduler_(std::move(model), search_options(options, target)) {}

/// Warns at the first line without a language tag, if lines need one.
void Translator::warn_of_missing_tag(const std::string& text) {
  if (warned_of_tag_ || !encoder_.lacks_tag(text)) {
    return;
  }
  warned_of_tag_ = true;
  encoder_.warn_of_missing_tag();
}

/// Decodes the sentences of all lines together; with sampling, decodes the sentences of lines that need more samples
/// again.
void Translator::decode(std::span<LineParts> lines) {
  // Splitting a line of megabytes, and decoding its parts, leaves small blocks all over the heap: the free memory
  // between them can be returned to the system, but hardly ever be reused.
  constexpr std::size_t kDecodedAtOnce = 2048;
  const bool has_long_line = std::ranges::any_of(lines, [](const LineParts& line) { return line.bytes > 0; });
  std::vector<LineParts*> waiting;
  for (auto& line : lines) {
    if (!line.parts.empty()) {
      waiting.push_back(&line);
    }
  }
  while (!waiting.empty()) {
    std::vector<Sentence*> sentences;
    for (auto* line : waiting) {
      for (auto& part : line->parts) {
        sentences.push_back(&part.sentence);
      }
    }
    const auto at_once = has_long_line ? kDecodedAtOnce : sentences.size();
    for (std::size_t begin = 0; begin < sentences.size(); begin += at_once) {
      if (has_long_line) {
        give_back_freed_memory();
      }
      scheduler_.decode(std::span(sentences).subspan(begin, std::min(at_once, sentences.size() - begin)));
    }
    std::erase_if(waiting, [&](LineParts* line) { return !text_.draws_more(line->parts); });
  }
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines, std::int64_t first_line) {
  std::vector<PrefixedLine> free;
  for (const auto& line : lines) {
    free.push_back({.text = line, .target_prefix = ""});
  }
  return translate_with_prefixes(free, first_line);
}

std::vector<Translation> Translator::translate_with_prefixes(std::span<const PrefixedLine> lines,
                                                             std::int64_t first_line) {
  std::vector<Translation> translations(lines.size());
  std::vector<LineParts> parts(lines.size());
  const auto number = [&](std::size_t i) { return first_line + static_cast<std::int64_t>(i); };
  std::vector<PrefixedLine> read;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    read.push_back({.text = encoder_.readable(lines[i].text, number(i)),
                    .target_prefix = encoder_.readable(lines[i].target_prefix, number(i))});
    warn_of_missing_tag(read.back().text);
  }
  for_each_line(lines.size(), [&](std::size_t i) { parts[i] = encoder_.encode(read[i], number(i)); });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    encoder_.warn_of_cut(parts[i], number(i));
    encoder_.warn_of_unknown_prefix(parts[i], number(i));
    translations[i].source = std::move(read[i].text);
  }
  decode(parts);
  for_each_line(lines.size(), [&](std::size_t i) {
    if (!parts[i].parts.empty()) {
      text_.fill(translations[i], parts[i].parts);
    }
  });
  return translations;
}

void Translator::translate(LineSource& source) {
  ArrivingLines lines(encoder_, text_, scheduler_.options(), source);
  scheduler_.decode(lines);
}

std::vector<Translation> Translator::score(std::span<const ScoringPair> pairs, std::int64_t first_line) {
  std::vector<Translation> translations(pairs.size());
  std::vector<LineParts> lines;
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto line = first_line + static_cast<std::int64_t>(i);
    const ScoringPair pair{.source = encoder_.readable(pairs[i].source, line),
                           .target = encoder_.readable(pairs[i].target, line)};
    warn_of_missing_tag(pair.source);
    translations[i].source = pair.source;
    targets.push_back(pair.target);
    lines.push_back(encoder_.encode_pair(pair, line));
  }
  decode(lines);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (lines[i].parts.empty()) {
      continue;
    }
    text_.fill(translations[i], lines[i].parts);
    translations[i].text = targets[i];  // as given, whatever its subwords decode to
    translations[i].nbest.front().text = targets[i];
  }
  return translations;
}

}  // namespace translate

#include "decoding/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/logging.h"
#include "core/memory.h"
#include "core/processor.h"
#include "core/random_numbers.h"
#include "core/utf8.h"
#include "data/language_names.h"
#include "decoding/scheduling/line_feed.h"
#include "model/model_description.h"
#include "text/sequence_ids.h"

namespace translate {

namespace {

SearchOptions search_options(const TranslatorOptions& options, const Tokenizer& target) {
  const auto text_of = [target](const std::vector<std::int64_t>& ids) { return target.decode(ids); };
  return {.decoding = options.decoding,
          .target = target.special_tokens(),
          .alignments = options.alignments,
          .text_of = text_of,
          .early_stopping = true};
}

/// Calls work(i) for each line, on all threads.
template <class Work>
void for_each_line(std::size_t count, const Work& work) {
  constexpr std::int64_t kAtATime = 64;  // fewer are done before another thread is awake
  parallel_ranges(static_cast<std::int64_t>(count), kAtATime, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) {
      work(static_cast<std::size_t>(i));
    }
  });
}

}  // namespace

TranslatorOptions translator_options(const Config& config, const c10::Device& device, Precision precision) {
  TranslatorOptions options;
  options.decoding = config.decoding;
  options.max_source_length = config.data.max_length;
  options.source_language = language_codes(config.data).source;
  options.device = device;
  options.precision = resolve_precision(precision, device);
  if (config.model.positions == PositionKind::kLearned) {
    options.max_positions = config.model.max_positions;
    options.max_source_length = std::min(options.max_source_length, config.model.max_positions - 2);  // sos and eos
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
    : source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      splitter_(source_, {.split_sentences = options_.split_sentences,
                          .language = options_.source_language,
                          .max_source_length = options_.max_source_length}),
      text_(source_, target_, options_.decoding,
            {.alignments = options_.alignments, .word_scores = options_.word_scores}),
      loop_(std::move(model), search_options(options_, target_), options_.device) {}

void Translator::warn(const std::string& message) const {
  if (options_.warn) {
    log_warning(message);
  }
}

std::string Translator::readable(const std::string& text, std::int64_t line) const {
  if (!first_invalid_utf8(text)) {
    return text;
  }
  warn(fmt::format("line {}: not valid UTF-8; the invalid bytes are replaced by U+FFFD", line));
  return replace_invalid_utf8(text);
}

/// The sentences of a line, ready to be decoded; `line`: its text, which is readable, and prefix. Does not warn, so
/// that it may be called for several lines at once.
LineParts Translator::parts_of(const PrefixedLine& line, std::int64_t number) const {
  const bool has_prefix = !line.target_prefix.empty();
  auto result = splitter_.split(line.text, /*whole=*/has_prefix);
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    auto& sentence = result.parts[i].sentence;
    sentence.random_key = mix_seeds({static_cast<std::uint64_t>(number), i});
    if (i == 0 && has_prefix) {
      sentence.prefix = target_.encode(line.target_prefix);
    }
    set_limit(sentence);
  }
  return result;
}

void Translator::warn_of_cut(const LineParts& line, std::int64_t number) const {
  if (line.was_cut() && line.bytes > 0) {
    warn(
        fmt::format("line {}: a sentence in its {} bytes is longer than the {} subwords that the model allows; "
                    "translated in {} parts",
                    number, line.bytes, options_.max_source_length, line.parts.size()));
  } else if (line.was_cut()) {
    warn(fmt::format("line {}: {} subwords, but the model allows {}; translated in {} parts", number, line.longest,
                     options_.max_source_length, line.parts.size()));
  }
}

void Translator::set_limit(Sentence& sentence) const {
  const auto& decoding = options_.decoding;
  const auto subwords = static_cast<double>(sentence.encoder_input.size() - 2);
  const auto by_ratio = static_cast<std::int64_t>(std::ceil(decoding.max_length_ratio * subwords) + 10.0);
  sentence.max_length = std::min(decoding.max_length, by_ratio + std::ssize(sentence.prefix));
}

Sentence Translator::scored_sentence(const ScoringPair& pair, std::int64_t line) const {
  const auto most = most_bytes(options_.max_source_length);
  if (const auto bytes = std::max(pair.source.size(), pair.target.size()); bytes > most) {
    throw DataError(
        fmt::format("line {}: a side of {} bytes; expected at most {}, as pairs are scored whole", line, bytes, most));
  }
  Sentence sentence;
  sentence.encoder_input = encoder_input_ids(source_, pair.source);
  sentence.prefix = target_.encode(pair.target);
  sentence.prefix.push_back(target_.special_tokens().eos);
  sentence.max_length = std::ssize(sentence.prefix);
  sentence.scoring = true;
  const auto longest = static_cast<std::int64_t>(std::max(sentence.encoder_input.size(), sentence.prefix.size()));
  if (options_.max_positions > 0 && longest > options_.max_positions) {
    throw DataError(
        fmt::format("line {}: a side of {} subwords, counting start and end; the model has positions for {}", line,
                    longest, options_.max_positions));
  }
  return sentence;
}

/// Decodes the sentences of all lines together; with sampling, those again whose lines need more samples.
void Translator::decode(std::span<LineParts> lines) {
  std::vector<LineParts*> waiting;
  for (auto& line : lines) {
    if (!line.parts.empty()) {
      waiting.push_back(&line);
    }
  }
  // Splitting a line of megabytes, and decoding its parts, leaves small blocks all over the heap: what is free between
  // them can go back to the system, but hardly ever be used again.
  constexpr std::size_t kDecodedAtOnce = 2048;
  const bool has_long_line = std::ranges::any_of(lines, [](const LineParts& line) { return line.bytes > 0; });
  while (!waiting.empty()) {
    std::vector<Sentence> sentences;
    for (auto* line : waiting) {
      for (auto& part : line->parts) {
        sentences.push_back(std::move(part.sentence));
      }
    }
    const auto at_once = has_long_line ? kDecodedAtOnce : sentences.size();
    for (std::size_t begin = 0; begin < sentences.size(); begin += at_once) {
      if (has_long_line) {
        give_back_freed_memory();
      }
      loop_.decode(std::span(sentences).subspan(begin, std::min(at_once, sentences.size() - begin)));
    }
    auto sentence = sentences.begin();
    for (auto* line : waiting) {
      for (auto& part : line->parts) {
        part.sentence = std::move(*sentence++);
      }
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
    read.push_back(
        {.text = readable(lines[i].text, number(i)), .target_prefix = readable(lines[i].target_prefix, number(i))});
  }
  for_each_line(lines.size(), [&](std::size_t i) { parts[i] = parts_of(read[i], number(i)); });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    warn_of_cut(parts[i], number(i));
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
  LineFeed feed(*this, search_options(options_, target_), source);
  loop_.decode(feed);
}

std::vector<Translation> Translator::score(std::span<const ScoringPair> pairs, std::int64_t first_line) {
  std::vector<Translation> translations(pairs.size());
  std::vector<LineParts> lines;
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto line = first_line + static_cast<std::int64_t>(i);
    const ScoringPair pair{.source = readable(pairs[i].source, line), .target = readable(pairs[i].target, line)};
    translations[i].source = pair.source;
    targets.push_back(pair.target);
    auto& parts = lines.emplace_back().parts;
    if (!is_blank(pair.source) || !is_blank(pair.target)) {
      parts.push_back({.text = pair.source, .sentence = scored_sentence(pair, line)});
    }
  }
  decode(lines);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (lines[i].parts.empty()) {
      continue;
    }
    text_.fill(translations[i], lines[i].parts);
    translations[i].text = targets[i];  // as it was given, whatever its subwords decode to
    translations[i].nbest.front().text = targets[i];
  }
  return translations;
}

}  // namespace translate

#include "translate/decoding/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/logging.h"
#include "translate/core/utf8.h"
#include "translate/data/seeded_random.h"
#include "translate/decoding/line_feed.h"
#include "translate/decoding/long_text.h"
#include "translate/kernels/parallel.h"
#include "translate/model/precision.h"
#include "translate/text/sequence_ids.h"

namespace translate {
namespace {

SearchOptions search_options(const TranslatorOptions& options, const Tokenizer& target) {
  return {.decoding = options.decoding,
          .target = target.special_tokens(),
          .alignments = options.alignments,
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
      text_(source_, target_, LengthPenalty(options_.decoding),
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
  warn(fmt::format("line {}: not valid UTF-8; the bad bytes are read as U+FFFD", line));
  return replace_invalid_utf8(text);
}

/// The text as a sentence, or in as many parts as the model takes it in; `input`: the encoder input of the whole.
std::vector<DecodedPart> Translator::parts_of(const std::string& text, std::vector<std::int64_t> input,
                                              std::int64_t line) const {
  std::vector<DecodedPart> parts;
  const auto add = [&](std::string part, std::vector<std::int64_t> encoder_input) {
    const auto index = parts.size();
    parts.push_back({.text = std::move(part), .sentence = {}});
    parts.back().sentence.encoder_input = std::move(encoder_input);
    parts.back().sentence.random_key = mix_seeds({static_cast<std::uint64_t>(line), index});
  };
  const auto length = std::ssize(input) - 2;  // sos and eos
  if (length <= options_.max_source_length) {
    add(text, std::move(input));
    return parts;
  }
  const auto pieces = [this](std::string_view part) { return static_cast<std::int64_t>(source_.encode(part).size()); };
  for (auto& part : split_long_text(text, options_.max_source_length, pieces)) {
    auto of_part = encoder_input_ids(source_, part);
    add(std::move(part), std::move(of_part));
  }
  warn(fmt::format("line {}: {} pieces, the model takes {}; translated in {} parts", line, length,
                   options_.max_source_length, parts.size()));
  return parts;
}

void Translator::set_limit(Sentence& sentence) const {
  const auto& decoding = options_.decoding;
  const auto pieces = static_cast<double>(sentence.encoder_input.size() - 2);
  const auto by_ratio = static_cast<std::int64_t>(std::ceil(decoding.max_length_ratio * pieces) + 10.0);
  sentence.max_length = std::min(decoding.max_length, by_ratio + std::ssize(sentence.prefix));
}

Sentence Translator::scored_sentence(const ScoringPair& pair, std::int64_t line) const {
  Sentence sentence;
  sentence.encoder_input = encoder_input_ids(source_, pair.source);
  sentence.prefix = target_.encode(pair.target);
  sentence.prefix.push_back(target_.special_tokens().eos);
  sentence.max_length = std::ssize(sentence.prefix);
  sentence.scoring = true;
  const auto longest = static_cast<std::int64_t>(std::max(sentence.encoder_input.size(), sentence.prefix.size()));
  if (options_.max_positions > 0 && longest > options_.max_positions) {
    throw DataError(fmt::format("line {}: a side of {} pieces, start and end counted; the model has positions for {}",
                                line, longest, options_.max_positions));
  }
  return sentence;
}

void Translator::decode(std::vector<DecodedPart>& parts) {
  std::vector<Sentence> sentences;
  for (auto& part : parts) {
    sentences.push_back(std::move(part.sentence));
  }
  loop_.decode(sentences);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].sentence = std::move(sentences[i]);
  }
}

void Translator::fill(Translation& translation, std::span<DecodedPart> parts) const {
  if (parts.size() == 1) {
    for (const auto& hypothesis : parts.front().sentence.hypotheses) {
      translation.nbest.push_back(text_.candidate(parts.front(), hypothesis));
    }
  } else {
    translation.nbest.push_back(text_.joined(translation.source, parts));
  }
  static_cast<Candidate&>(translation) = translation.nbest.front();
  for (auto& part : parts) {
    translation.parts.push_back({.encoder_input = std::move(part.sentence.encoder_input),
                                 .hypothesis = std::move(part.sentence.hypotheses.front())});
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
  for (std::size_t i = 0; i < lines.size(); ++i) {
    translations[i].source = readable(lines[i].text, first_line + static_cast<std::int64_t>(i));
  }
  std::vector<std::vector<std::int64_t>> inputs(lines.size());
  for_each_line(lines.size(), [&](std::size_t i) {
    if (!is_blank(translations[i].source)) {
      inputs[i] = encoder_input_ids(source_, translations[i].source);
    }
  });
  std::vector<DecodedPart> parts;
  std::vector<std::size_t> first_parts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = first_line + static_cast<std::int64_t>(i);
    first_parts.push_back(parts.size());
    if (inputs[i].empty()) {
      continue;
    }
    for (auto& part : parts_of(translations[i].source, std::move(inputs[i]), line)) {
      if (parts.size() == first_parts.back() && !lines[i].target_prefix.empty()) {
        part.sentence.prefix = target_.encode(readable(lines[i].target_prefix, line));
      }
      set_limit(part.sentence);
      parts.push_back(std::move(part));
    }
  }
  first_parts.push_back(parts.size());
  decode(parts);
  for_each_line(lines.size(), [&](std::size_t i) {
    if (first_parts[i] < first_parts[i + 1]) {
      fill(translations[i], std::span(parts).subspan(first_parts[i], first_parts[i + 1] - first_parts[i]));
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
  std::vector<DecodedPart> parts;
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto line = first_line + static_cast<std::int64_t>(i);
    const ScoringPair pair{.source = readable(pairs[i].source, line), .target = readable(pairs[i].target, line)};
    translations[i].source = pair.source;
    targets.push_back(pair.target);
    parts.push_back({.text = pair.source, .sentence = scored_sentence(pair, line)});
  }
  decode(parts);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    fill(translations[i], std::span(parts).subspan(i, 1));
    translations[i].text = targets[i];  // as it was given, whatever its pieces decode to
    translations[i].nbest.front().text = targets[i];
  }
  return translations;
}

}  // namespace translate

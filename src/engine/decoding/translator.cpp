#include "decoding/translator.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

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
          .text_of = text_of,
          .shortlist = options.shortlist,
          .early_stopping = true};
}

/// Returns what plans the parts of lines; nothing if they are translated raw, as samples always are.
std::shared_ptr<const SegmentPlanner> planner_of(const Tokenizer& source, const Tokenizer& target,
                                                 const TranslatorOptions& options) {
  if (options.raw || options.decoding.sampling) {
    return nullptr;
  }
  return std::make_shared<const SegmentPlanner>(
      TokenizerPair{.source = source, .target = target},
      SegmentPlanner::Languages{.source = options.source_language, .target = options.target_language},
      options.keep ? *options.keep : KeptTerms());
}

}  // namespace

TranslatorOptions translator_options(const Config& config) {
  TranslatorOptions options;
  options.decoding = config.decoding;
  options.max_source_length = config.data.max_length;
  const auto codes = language_codes(config.data);
  options.source_language = codes.source;
  options.target_language = codes.target;
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
    : Translator(std::move(model), source, target, options, planner_of(source, target, options)) {}

Translator::Translator(std::shared_ptr<const InferenceModel> model, const Tokenizer& source, const Tokenizer& target,
                       const TranslatorOptions& options, const std::shared_ptr<const SegmentPlanner>& planner)
    : encoder_(source, target, options, planner),
      text_(source, target, options, planner),
      scheduler_(model, search_options(options, target)) {
  if (options.consensus) {
    consensus_.emplace(std::move(model), options.consensus, scheduler_.options());
  }
}

/// Warns at the first line without a language tag, if lines need one.
void Translator::warn_of_missing_tag(const std::string& text) {
  if (warned_of_tag_ || !encoder_.lacks_tag(text)) {
    return;
  }
  warned_of_tag_ = true;
  encoder_.warn_of_missing_tag();
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines, std::int64_t first_line) {
  std::vector<SourceLine> free;
  for (const auto& line : lines) {
    free.push_back({.text = line});
  }
  return translate_lines(free, first_line);
}

std::vector<Translation> Translator::translate_lines(std::span<const SourceLine> lines, std::int64_t first_line) {
  for (const auto& line : lines) {
    warn_of_missing_tag(line.text);
  }
  const auto encoded = encode_lines(encoder_, lines, first_line);
  if (!consensus_) {
    return decode_lines(scheduler_, text_, encoded);
  }
  consensus_->decode(encoded, text_.target());
  return fill_lines(text_, encoded);
}

void Translator::translate(LineSource& source) {
  if (consensus_) {
    throw std::logic_error("a consensus is not chosen for lines that arrive one by one");
  }
  decode_lines(scheduler_, encoder_, text_, source);
}

std::vector<Translation> Translator::score(std::span<const ScoringPair> pairs, std::int64_t first_line) {
  LinesUnderWay lines;
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto number = first_line + static_cast<std::int64_t>(i);
    const ScoringPair pair{.source = encoder_.readable(pairs[i].source, number),
                           .target = encoder_.readable(pairs[i].target, number)};
    warn_of_missing_tag(pair.source);
    lines.push_back(std::make_shared<LineUnderWay>());
    lines.back()->translation.source = pair.source;
    lines.back()->parts = encoder_.encode_pair(pair, number);
    targets.push_back(pair.target);
  }
  auto translations = decode_lines(scheduler_, text_, lines);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!translations[i].nbest.empty()) {
      translations[i].text = targets[i];  // as given, whatever its subwords decode to
      translations[i].nbest.front().text = targets[i];
    }
  }
  return translations;
}

}  // namespace translate

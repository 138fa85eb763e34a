#include "decoding/line_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/logging.h"
#include "core/random_numbers.h"
#include "core/utf8.h"
#include "text/sequence_ids.h"

namespace translate {

LineEncoder::LineEncoder(Tokenizer source, Tokenizer target, const TranslatorOptions& options)
    : source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      splitter_(source_, {.split_sentences = options_.split_sentences,
                          .language = options_.source_language,
                          .max_source_length = options_.max_source_length}) {}

void LineEncoder::warn(const std::string& message) const {
  if (options_.warn) {
    log_warning(message);
  }
}

std::string LineEncoder::readable(const std::string& text, std::int64_t line) const {
  if (!first_invalid_utf8(text)) {
    return text;
  }
  warn(fmt::format("line {}: not valid UTF-8; the invalid bytes are replaced by U+FFFD", line));
  return replace_invalid_utf8(text);
}

LineParts LineEncoder::encode(const PrefixedLine& line, std::int64_t number) const {
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

void LineEncoder::warn_of_cut(const LineParts& parts, std::int64_t line) const {
  if (parts.was_cut() && parts.bytes > 0) {
    warn(
        fmt::format("line {}: a sentence in its {} bytes is longer than the {} subwords that the model allows; "
                    "translated in {} parts",
                    line, parts.bytes, options_.max_source_length, parts.parts.size()));
  } else if (parts.was_cut()) {
    warn(fmt::format("line {}: {} subwords, but the model allows {}; translated in {} parts", line, parts.longest,
                     options_.max_source_length, parts.parts.size()));
  }
}

void LineEncoder::set_limit(Sentence& sentence) const {
  const auto& decoding = options_.decoding;
  const auto subwords = static_cast<double>(sentence.encoder_input.size() - 2);
  const auto by_ratio = static_cast<std::int64_t>(std::ceil(decoding.max_length_ratio * subwords) + 10.0);
  sentence.max_length = std::min(decoding.max_length, by_ratio + std::ssize(sentence.prefix));
}

Sentence LineEncoder::scored_sentence(const ScoringPair& pair, std::int64_t line) const {
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

LineParts LineEncoder::encode_pair(const ScoringPair& pair, std::int64_t line) const {
  LineParts result;
  if (!is_blank(pair.source) || !is_blank(pair.target)) {
    result.parts.push_back({.text = pair.source, .sentence = scored_sentence(pair, line)});
  }
  return result;
}

}  // namespace translate

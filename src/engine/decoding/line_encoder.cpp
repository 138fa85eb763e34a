#include "decoding/line_encoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/logging.h"
#include "core/random_numbers.h"
#include "core/utf8.h"
#include "segments/icu_message.h"
#include "text/tokenizer.h"
#include "text/uncovered_text.h"

namespace translate {

namespace {

/// Text units that end after sentences, after spaces, or after every character.
using Units = std::vector<std::u32string>;

/// Returns the sentences, each with the white space after it.
Units sentences(const std::u32string& text, const SentenceSplitter& splitter) {
  const auto bytes = encode_utf8(text);
  const auto ranges = splitter.split(bytes);
  Units units;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto begin = i == 0 ? 0 : ranges[i].begin;
    const auto end = i + 1 < ranges.size() ? ranges[i + 1].begin : bytes.size();
    units.push_back(decode_utf8(std::string_view(bytes).substr(begin, end - begin)));
  }
  return units;
}

Units words(const std::u32string& text) {
  Units units(1);
  for (const char32_t c : text) {
    if (!is_unicode_space(c) && !units.back().empty() && is_unicode_space(units.back().back())) {
      units.emplace_back();
    }
    units.back() += c;
  }
  return units;
}

Units characters(const std::u32string& text) {
  Units units;
  for (const char32_t c : text) {
    units.emplace_back(1, c);
  }
  return units;
}

std::string trimmed_utf8(const std::u32string& text) { return std::string(trimmed(encode_utf8(text))); }

/// The units that a text is split into: sentences first; if they are too long, their words; and so on.
enum class Level { kSentences, kWords, kCharacters };

class LongTextSplitter {
 public:
  LongTextSplitter(std::int64_t max_length, const SentenceSplitter& splitter, const TextLength& length)
      : max_length_(max_length), splitter_(splitter), length_(length) {}

  void split(const std::u32string& text, Level level, std::vector<std::string>& parts) const {
    std::u32string current;
    const auto flush = [&] {
      if (auto part = trimmed_utf8(current); !part.empty()) {
        parts.push_back(std::move(part));
      }
      current.clear();
    };
    for (auto& unit : units(text, level)) {
      if (fits(current + unit)) {
        current += unit;
        continue;
      }
      flush();
      if (fits(unit) || level == Level::kCharacters) {
        current = std::move(unit);
      } else if (level == Level::kWords && unit.size() > kLongestWord) {
        split_long_word(unit, parts);
      } else {
        split(unit, level == Level::kSentences ? Level::kWords : Level::kCharacters, parts);
      }
    }
    flush();
  }

 private:
  /// Maximum characters of a word that is examined character by character; for a longer one that would take too long.
  static constexpr std::size_t kLongestWord = 4096;

  /// The same with few measurements for each part, whose length is found by binary search.
  void split_long_word(std::u32string_view word, std::vector<std::string>& parts) const {
    std::size_t guess = 64;
    while (!word.empty()) {
      const auto fits_up_to = [&](std::size_t end) { return fits(std::u32string(word.substr(0, end))); };
      std::size_t fitting = 1;
      std::size_t end = std::min(std::max<std::size_t>(guess, 2), word.size());
      while (end > fitting && fits_up_to(end)) {
        fitting = end;
        end = std::min(2 * end, word.size());
      }
      while (fitting + 1 < end) {
        const auto middle = fitting + (end - fitting) / 2;
        (fits_up_to(middle) ? fitting : end) = middle;
      }
      if (auto part = trimmed_utf8(std::u32string(word.substr(0, fitting))); !part.empty()) {
        parts.push_back(std::move(part));
      }
      word.remove_prefix(fitting);
      guess = fitting;
    }
  }

  [[nodiscard]] bool fits(const std::u32string& text) const { return length_(trimmed_utf8(text)) <= max_length_; }

  [[nodiscard]] Units units(const std::u32string& text, Level level) const {
    switch (level) {
      case Level::kSentences:
        return sentences(text, splitter_);
      case Level::kWords:
        return words(text);
      default:
        return characters(text);
    }
  }

  std::int64_t max_length_;
  const SentenceSplitter& splitter_;
  const TextLength& length_;
};

}  // namespace

std::vector<std::string> split_long_text(std::string_view text, std::int64_t max_length,
                                         const SentenceSplitter& splitter, const TextLength& length) {
  std::vector<std::string> parts;
  LongTextSplitter(max_length, splitter, length).split(decode_utf8(text), Level::kSentences, parts);
  return parts;
}

/// Sets the source of a sentence: its subwords, after the line's language tag if `text` does not begin with it.
void set_source(const Tokenizer& tokenizer, std::string_view text, std::string_view tag, Sentence& sentence) {
  const auto& special = tokenizer.special_tokens();
  const bool needs_tag = !tag.empty() && !text.starts_with(tag);
  sentence.source_begin = (special.source_sos ? 1 : 0) + (needs_tag ? 1 : 0);
  sentence.encoder_input = encoder_input_ids(tokenizer, needs_tag ? fmt::format("{} {}", tag, text) : text);
}

/// Returns the text behind the language tag at its head, if it has that one.
std::string_view without_tag(std::string_view text, std::string_view tag) {
  if (tag.empty() || !text.starts_with(tag)) {
    return text;
  }
  text.remove_prefix(tag.size());
  return text.substr(leading_space(text).size());
}

namespace {

/// Returns the marks that the bytes [begin, end) of a text have a part in, as places of these bytes.
std::vector<TextMark> marks_within(std::span<const TextMark> marks, std::size_t begin, std::size_t end) {
  std::vector<TextMark> within;
  for (const auto& mark : marks) {
    if (mark.begin < end && mark.end > begin) {
      within.push_back({.begin = std::max(mark.begin, begin) - begin, .end = std::min(mark.end, end) - begin});
    }
  }
  return within;
}

}  // namespace

/// Makes a part, of which nothing but its text and its place in the line is known, ready to be translated or copied.
void LineSplitter::prepare(LinePart& part, std::size_t begin, const Segmentation& how) const {
  if (!how.planned) {
    set_source(source_, part.text, how.tag, part.sentence);
    part.plan.terms = planned_terms(part.text, {}, find_terms(part.text, how.glossaries));
    return;
  }
  const auto segment = without_tag(part.text, how.tag);
  const auto end = begin + part.text.size();
  part.plan =
      options_.planner->plan(segment, how.keep, how.glossaries, marks_within(how.marks, end - segment.size(), end));
  part.plan_begin = part.text.size() - segment.size() + part.plan.before.size();
  if (!part.plan.is_copied) {
    set_source(source_, part.plan.text, how.tag, part.sentence);
    part.plan.is_copied = part.sentence.source_subwords().empty();  // invisible characters alone
    part.sentence.repairs_loops = true;
    part.sentence.forbidden = options_.planner->forbidden(part.plan);
  }
}

/// Adds the parts of a sentence of a text: one, or several if it is too long.
void LineSplitter::add(const std::string& text, const TextRange& sentence, std::string separator,
                       const Segmentation& how, LineParts& line) const {
  LinePart part{.text = text.substr(sentence.begin, sentence.end - sentence.begin), .separator = std::move(separator)};
  prepare(part, sentence.begin, how);
  if (part.plan.is_copied) {
    line.parts.push_back(std::move(part));
    return;
  }
  const auto& read = how.planned ? part.plan.text : part.text;
  const auto own_tag = [&](std::string_view of) { return !how.tag.empty() && of.starts_with(how.tag) ? 1 : 0; };
  const std::int64_t length = std::ssize(part.sentence.source_subwords()) - own_tag(read);
  if (part.sentence.source_subwords().empty()) {  // invisible characters alone
    return;
  }
  if (length <= options_.max_source_length) {
    line.parts.push_back(std::move(part));
    return;
  }
  line.longest = std::max(line.longest, length);
  const auto subwords = [&](std::string_view of) { return std::ssize(source_.encode(of)) - own_tag(of); };
  auto begin = sentence.begin;
  for (auto& shorter : split_long_text(part.text, options_.max_source_length, splitter_, subwords)) {
    LinePart next{.text = std::move(shorter), .separator = std::exchange(part.separator, " ")};
    begin = text.find(next.text, begin);  // only white space is between them
    prepare(next, begin, how);
    begin += next.text.size();
    line.parts.push_back(std::move(next));
  }
}

LineParts LineSplitter::split(const std::string& text, bool whole, const KeptTerms* keep, const Glossaries& glossaries,
                              std::span<const TextMark> marks) const {
  const auto size = most_bytes(options_.max_source_length);
  const auto own = source_.language_tag(text);
  const Segmentation how{.tag = own.empty() ? options_.language_tag : own,
                         .sentences = options_.split_sentences && !whole,
                         .planned = options_.planner != nullptr && !whole,
                         .keep = {keep},
                         .glossaries = glossaries,
                         .marks = text.size() <= size ? marks : std::span<const TextMark>()};
  if (auto message = how.planned ? split_message(text, how) : std::nullopt) {
    return *std::move(message);
  }
  auto line = text.size() <= size ? split_window(text, how) : split_long(text, how, size);
  if (how.planned) {
    line.leading = leading_space(text);
    line.trailing = line.parts.empty() ? std::string_view() : trailing_space(text);
  }
  return line;
}

/// Returns the sentences of a message of ICU's MessageFormat, with what stands between them; nothing if it is none.
std::optional<LineParts> LineSplitter::split_message(const std::string& text, const Segmentation& how) const {
  auto message = parse_icu_message(without_tag(text, how.tag), options_.target_language);
  if (!message) {
    return std::nullopt;
  }
  auto how_sentence = how;
  how_sentence.keep.push_back(&message_numbers_);
  how_sentence.marks = {};
  LineParts line;
  line.is_message = true;
  std::string frame;
  for (const auto& [before, sentence] : message->branches) {
    auto parts = split_window(sentence, how_sentence);
    frame += before;
    frame += leading_space(sentence);
    if (!parts.parts.empty()) {
      parts.parts.front().frame = std::exchange(frame, std::string(trailing_space(sentence)));
    }
    line.longest = std::max(line.longest, parts.longest);
    std::ranges::move(parts.parts, std::back_inserter(line.parts));
  }
  line.trailing = frame + message->end;
  if (line.parts.empty()) {
    line.leading = text;
    line.trailing.clear();
  }
  return line;
}

/// The last part of a window may continue after it: the next window begins with that part.
LineParts LineSplitter::split_long(const std::string& text, const Segmentation& how, std::size_t size) const {
  LineParts line{.parts = {}, .longest = 0, .bytes = text.size()};
  std::string separator;  // before the next window
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = chunk_end(text, begin, size);
    const auto window = text.substr(begin, end - begin);
    auto found = split_window(window, how);
    auto& parts = found.parts;
    line.longest = std::max(line.longest, found.longest);
    if (!parts.empty()) {
      parts.front().separator = std::exchange(separator, " ");
    }
    if (end < text.size() && parts.size() > 1) {
      end = begin + window.rfind(parts.back().text);  // only white space follows it
      separator = std::move(parts.back().separator);
      parts.pop_back();
    } else if (end < text.size() && !parts.empty()) {
      line.longest = std::max<std::int64_t>(line.longest, 1);  // it may be cut here
    }
    std::ranges::move(parts, std::back_inserter(line.parts));
    begin = end;
  }
  return line;
}

LineParts LineSplitter::split_window(const std::string& text, const Segmentation& how) const {
  LineParts line;
  if (is_blank(text)) {
    return line;
  }
  std::vector<TextRange> sentences = {{.begin = 0, .end = text.size()}};
  if (how.sentences) {
    sentences = splitter_.split(text);
  } else if (how.planned) {
    sentences = {{.begin = leading_space(text).size(), .end = text.size() - trailing_space(text).size()}};
  }
  std::size_t end = sentences.front().begin;
  for (const auto& sentence : sentences) {
    add(text, sentence, text.substr(end, sentence.begin - end), how, line);
    end = sentence.end;
  }
  return line;
}

LineEncoder::LineEncoder(Tokenizer source, Tokenizer target, const TranslatorOptions& options,
                         const std::shared_ptr<const SegmentPlanner>& planner)
    : source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      splitter_(source_, {.split_sentences = options_.split_sentences,
                          .language = options_.source_language,
                          .target_language = options_.target_language,
                          .max_source_length = options_.max_source_length,
                          .language_tag = options_.language_tag,
                          .planner = planner}),
      requirement_(source_, target_, options_.target_language) {}

void LineEncoder::warn(const std::string& message) const {
  if (options_.warn) {
    log_warning(message);
  }
}

bool LineEncoder::lacks_tag(const std::string& text) const {
  return !options_.missing_tag_warning.empty() && !is_blank(text) && source_.language_tag(text).empty();
}

void LineEncoder::warn_of_missing_tag() const { warn(options_.missing_tag_warning); }

std::string LineEncoder::readable(const std::string& text, std::int64_t line) const {
  if (!first_invalid_utf8(text)) {
    return text;
  }
  warn(fmt::format("line {}: not valid UTF-8; the invalid bytes are replaced by U+FFFD", line));
  return replace_invalid_utf8(text);
}

LineParts LineEncoder::encode(const SourceLine& line, std::int64_t number) const {
  const bool has_prefix = !line.target_prefix.empty();
  Glossaries glossaries = {line.glossary, options_.glossary};
  std::erase_if(glossaries, [](const auto& one) { return one == nullptr || one->is_empty(); });
  auto result = splitter_.split(line.text, /*whole=*/has_prefix, line.keep.get(), glossaries, line.marks);
  result.is_aligned = (options_.alignments || line.is_aligned) && !result.is_message;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    auto& sentence = result.parts[i].sentence;
    sentence.random_key = mix_seeds({static_cast<std::uint64_t>(number), i});
    if (i == 0 && has_prefix) {
      sentence.prefix = target_.encode(line.target_prefix);
      if (std::ranges::count(sentence.prefix, target_.special_tokens().unk) > 0) {
        result.parts[i].prefix = trimmed(line.target_prefix);
      }
    }
    sentence.is_aligned = result.is_aligned || result.parts[i].plan.needs_alignment();
    if (!result.parts[i].plan.is_copied) {
      require_terms(result.parts[i]);
      set_limit(result.parts[i].text, sentence);
    }
  }
  return result;
}

void LineEncoder::warn_of_unknown_prefix(const LineParts& parts, std::int64_t line) const {
  if (parts.parts.empty() || parts.parts.front().prefix.empty()) {
    return;
  }
  std::vector<std::string> unknown;
  static_cast<void>(UncoveredText(target_).count(parts.parts.front().prefix, unknown));
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  warn(
      fmt::format("line {}: the vocabulary has no subword for {} in the prefix; the translation begins with the prefix "
                  "as given, but the model cannot read that part of it",
                  line, fmt::join(unknown, ", ")));
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

/// Has the search write the terms that were found in a part.
void LineEncoder::require_terms(LinePart& part) const {
  if (options_.decoding.sampling && !part.plan.terms.empty()) {
    throw DataError("glossary: samples are drawn freely, and cannot be required to have terms; use a beam");
  }
  part.unwritten = requirement_.apply(part.plan.terms, part.read_text(), part.sentence);
  part.sentence.is_aligned = part.sentence.is_aligned || part.sentence.terms;
  // A model that reads the terms mostly writes them by itself; and a constrained search needs a beam, which takes
  // several times as long as a greedy search.
  part.sentence.is_unconstrained = part.plan.has_annotations || options_.decoding.beam_size == 1;
}

void LineEncoder::set_limit(std::string_view text, Sentence& sentence) const {
  const auto& decoding = options_.decoding;
  const auto own_tag = source_.language_tag(text).empty() ? 0 : 1;  // counts as little as that of an option
  const auto subwords = static_cast<double>(std::ssize(sentence.source_subwords()) - own_tag);
  const double by_ratio = std::ceil(decoding.max_length_ratio * subwords) + 10.0;
  sentence.max_length = decoding.max_length;
  if (by_ratio < static_cast<double>(decoding.max_length)) {  // else it may be larger than any integer
    const auto given = std::ssize(sentence.prefix) + (sentence.terms ? sentence.terms->most_subwords() : 0);
    sentence.max_length = std::min(decoding.max_length, static_cast<std::int64_t>(by_ratio) + given);
  }
}

Sentence LineEncoder::scored_sentence(const ScoringPair& pair, std::int64_t line) const {
  const auto most = most_bytes(options_.max_source_length);
  if (const auto bytes = std::max(pair.source.size(), pair.target.size()); bytes > most) {
    throw DataError(
        fmt::format("line {}: a side of {} bytes; expected at most {}, as pairs are scored whole", line, bytes, most));
  }
  Sentence sentence;
  const bool has_own_tag = !source_.language_tag(pair.source).empty();
  set_source(source_, pair.source, has_own_tag ? std::string_view() : options_.language_tag, sentence);
  sentence.prefix = target_.encode(pair.target);
  sentence.prefix.push_back(target_.special_tokens().eos);
  sentence.max_length = std::ssize(sentence.prefix);
  sentence.scoring = true;
  sentence.is_aligned = options_.alignments;
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
  result.is_aligned = options_.alignments;
  if (!is_blank(pair.source) || !is_blank(pair.target)) {
    result.parts.push_back({.text = pair.source, .sentence = scored_sentence(pair, line)});
  }
  return result;
}

}  // namespace translate

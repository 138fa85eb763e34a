#include "decoding/candidate_text.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "text/text_joining.h"

namespace translate {

CandidateCombinations::CandidateCombinations(std::vector<std::vector<double>> scores) : scores_(std::move(scores)) {
  double best = 0.0;
  for (const auto& part : scores_) {
    best += part.front();
  }
  queue_.push({.sum = best, .follows = std::nullopt, .last_changed = 0});
}

std::vector<std::size_t> CandidateCombinations::choice_of(const Combination& combination) const {
  std::vector<std::size_t> choice(scores_.size(), 0);
  for (auto current = combination; current.follows; current = given_[*current.follows]) {
    ++choice[current.last_changed];
  }
  return choice;
}

std::optional<std::vector<std::size_t>> CandidateCombinations::next() {
  if (queue_.empty()) {
    return std::nullopt;
  }
  const auto best = queue_.top();
  queue_.pop();
  auto choice = choice_of(best);
  given_.push_back(best);
  // There is exactly one way to reach every other combination: raising the choices part by part, from left to right.
  for (std::size_t part = best.last_changed; part < scores_.size(); ++part) {
    const auto now = choice[part];
    if (now + 1 < scores_[part].size()) {
      queue_.push({.sum = best.sum + (scores_[part][now + 1] - scores_[part][now]),
                   .follows = given_.size() - 1,
                   .last_changed = part});
    }
  }
  return choice;
}

namespace {

/// Returns the words themselves.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::u32string word;
  for (const char32_t c : decode_utf8(text) + U' ') {
    if (!is_unicode_space(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(encode_utf8(word));
      word.clear();
    }
  }
  return words;
}

/// Counts the characters that the subwords so far decode to, subword after subword.
std::vector<std::int64_t> words_by_characters(const Tokenizer& tokenizer, const TextWords& text,
                                              std::span<const std::int64_t> subwords) {
  if (text.words() == 0) {
    return {};
  }
  std::vector<std::int64_t> starts;  // the first character of each subword
  std::string decoded;
  std::int64_t characters = 0;
  for (std::size_t i = 0; i < subwords.size(); ++i) {
    auto next = tokenizer.decode(subwords.first(i + 1));
    const auto count = TextWords(next).characters();
    const bool only_space = next.starts_with(decoded);  // if no character was added; else bytes continue one
    starts.push_back(count > characters || only_space ? characters : std::max<std::int64_t>(count - 1, 0));
    characters = count;
    decoded = std::move(next);
  }
  std::vector<std::int64_t> words;
  for (const auto start : starts) {
    // Normalisation may have changed the number of characters: then the relative position in both texts is the same.
    words.push_back(text.word_at(characters > 0 ? start * text.characters() / characters : 0));
  }
  for (std::size_t i = words.size(); i-- > 1;) {
    words[i - 1] = std::min(words[i - 1], words[i]);  // an incomplete character may look like several
  }
  return words;
}

}  // namespace

TextWords::TextWords(std::string_view text) {
  bool inside = false;
  for (const char32_t c : decode_utf8(text)) {
    if (is_unicode_space(c)) {
      inside = false;
      continue;
    }
    if (!inside) {
      first_characters_.push_back(characters());
      inside = true;
    }
    word_of_character_.push_back(words() - 1);
  }
}

std::int64_t TextWords::word_at(std::int64_t character) const {
  return character < characters() ? word_of_character_[static_cast<std::size_t>(character)] : words() - 1;
}

std::vector<std::int64_t> words_of_source(const Tokenizer& tokenizer, std::string_view text,
                                          std::span<const std::int64_t> subwords) {
  std::vector<std::int64_t> words;
  std::vector<std::int64_t> word_by_word;
  std::int64_t index = 0;
  for (const auto& word : split_words(text)) {
    const auto of_word = tokenizer.encode(word);
    words.insert(words.end(), of_word.size(), index++);
    word_by_word.insert(word_by_word.end(), of_word.begin(), of_word.end());
  }
  return std::ranges::equal(word_by_word, subwords) ? words : words_by_characters(tokenizer, TextWords(text), subwords);
}

std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer, std::string_view text,
                                          std::span<const std::int64_t> subwords) {
  return words_by_characters(tokenizer, TextWords(text), subwords);
}

namespace {

/// Bytes of a line whose translation has all its details: subwords and their scores take a hundred times the memory of
/// the text. A longer line has only its text and its scores.
constexpr std::size_t kMostDetailed = std::size_t{1} << 20U;

/// Removes a candidate's details for each subword and word.
void drop_details(Candidate& candidate) {
  candidate.tokens = {};
  candidate.token_scores = {};
  candidate.word_scores = {};
  candidate.alignment = {};
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Returns the pairs of words that aligned subwords belong to. `begin`: where the text begins in the encoder input.
std::vector<AlignedWords> align_words(const Hypothesis& hypothesis, std::int64_t begin,
                                      const std::vector<std::int64_t>& source_words,
                                      const std::vector<std::int64_t>& target_words) {
  std::vector<AlignedWords> alignment;
  for (std::size_t i = 0; i < target_words.size(); ++i) {
    const auto subword = hypothesis.aligned[i] - begin;
    if (subword >= 0 && subword < std::ssize(source_words)) {
      alignment.push_back({.source = source_words[static_cast<std::size_t>(subword)], .target = target_words[i]});
    }
  }
  std::ranges::sort(alignment);
  alignment.erase(std::unique(alignment.begin(), alignment.end()), alignment.end());
  return alignment;
}

bool has_line_end(std::u32string_view text) { return std::ranges::any_of(text, is_line_end); }

/// Returns the separator between the translations of two parts. Line ends and tabs between their sources stay, line
/// ends also where a translation is empty. Spaces follow the writing of the translations. `before` is empty at the
/// beginning of a line.
std::string separator(const std::string& between_sources, std::string_view before, std::string_view after) {
  const auto between = decode_utf8(between_sources);
  if (before.empty() || after.empty()) {
    return has_line_end(between) ? between_sources : "";
  }
  if (has_line_end(between) || between.find(U'\t') != std::u32string::npos) {
    return between_sources;
  }
  constexpr char32_t kIdeographicSpace = 0x3000;
  const auto space = space_between(before, after);
  const bool is_usual = !between.empty() && between.find(kIdeographicSpace) == std::u32string::npos;
  return !space.empty() && is_usual ? between_sources : std::string(space);
}

/// Returns what stands in front of the translation of each part in that of the line.
std::vector<std::string> separators(std::span<const LinePart> parts, std::span<const Candidate* const> choice) {
  std::vector<std::string> result;
  std::string_view before;  // the text since the last line end
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view text = choice[i]->text;
    result.push_back(separator(parts[i].separator, before, text));
    if (!text.empty() || !result.back().empty()) {
      before = text;
    }
  }
  return result;
}

bool has_text(const std::vector<Candidate>& candidates, const std::string& text) {
  return std::ranges::find(candidates, text, &Candidate::text) != candidates.end();
}

/// Replaces `values` by those at `places`, in this order.
template <typename T>
void select(std::vector<T>& values, std::span<const std::size_t> places) {
  std::vector<T> selected;
  for (const auto place : places) {
    selected.push_back(std::move(values[place]));
  }
  values = std::move(selected);
}

/// Returns whether a translation has so few subwords for its source that a part of it is probably missing.
bool is_suspiciously_short(const Sentence& sentence) {
  constexpr std::int64_t kFewestSubwords = 12;  // minimum source length for a reliable ratio
  constexpr std::int64_t kMostTimesShorter = 2;
  const auto source = std::ssize(sentence.source_subwords());
  const auto target = std::ssize(sentence.hypotheses.front().ids);
  return !sentence.scoring && source >= kFewestSubwords && kMostTimesShorter * target < source;
}

}  // namespace

/// Decodes a translation; unknown characters of its prefix become those that were given.
std::string CandidateText::text_of(const LinePart& part, std::span<const std::int64_t> ids) const {
  auto text = target_.decode(ids);
  if (part.prefix.empty()) {
    return text;
  }
  const auto begin = target_.decode(ids.first(std::min(part.sentence.prefix.size(), ids.size())));
  if (!text.starts_with(begin)) {
    return text;
  }
  text.erase(0, begin.size());
  const bool needs_space = begin.empty() && !text.empty();  // word-level tokenizers decode nothing for unknown words
  return part.prefix + (needs_space ? " " : "") + text;
}

Candidate CandidateText::candidate(const LinePart& part, const Hypothesis& hypothesis) const {
  Candidate candidate;
  candidate.text = text_of(part, hypothesis.ids);
  candidate.score = hypothesis.score;
  candidate.normalized_score = hypothesis.normalized_score;
  candidate.truncated = hypothesis.truncated;
  candidate.token_scores = hypothesis.subword_scores;
  for (const auto id : hypothesis.ids) {
    candidate.tokens.push_back(target_.subword(id));
  }
  if (details_.alignments || details_.word_scores) {
    add_words(part, hypothesis, candidate);
  }
  return candidate;
}

void CandidateText::add_words(const LinePart& part, const Hypothesis& hypothesis, Candidate& candidate) const {
  const auto target_words = words_of_target(target_, candidate.text, hypothesis.ids);
  if (details_.word_scores) {
    candidate.word_scores.assign(static_cast<std::size_t>(TextWords(candidate.text).words()), 0.0);
    for (std::size_t i = 0; i < target_words.size(); ++i) {
      candidate.word_scores[static_cast<std::size_t>(target_words[i])] += hypothesis.subword_scores[i];
    }
  }
  if (details_.alignments) {
    const auto source_words = words_of_source(source_, part.text, part.sentence.source_subwords());
    candidate.alignment = align_words(hypothesis, part.sentence.source_begin, source_words, target_words);
  }
}

Candidate CandidateText::joined(const std::string& line, std::span<const LinePart> parts, const Choice& choice) const {
  Candidate whole;
  const auto between = separators(parts, choice);
  const TextWords words(details_.alignments ? std::string_view(line) : std::string_view());
  std::int64_t source_characters = 0;  // of the previous parts
  std::int64_t target_words = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = *choice[i];
    whole.text += between[i] + part.text;
    whole.score += part.score;
    whole.normalized_score += part.normalized_score;
    whole.truncated = whole.truncated || part.truncated;
    append(whole.tokens, part.tokens);
    append(whole.token_scores, part.token_scores);
    append(whole.word_scores, part.word_scores);
    if (!details_.alignments) {
      continue;
    }
    const TextWords part_words(parts[i].text);
    for (const auto& pair : part.alignment) {
      // A part may begin or end inside a word of the line.
      const auto source = words.word_at(source_characters + part_words.first_character(pair.source));
      whole.alignment.push_back({.source = source, .target = target_words + pair.target});
    }
    source_characters += part_words.characters();
    target_words += TextWords(part.text).words();
  }
  std::ranges::sort(whole.alignment);
  whole.alignment.erase(std::unique(whole.alignment.begin(), whole.alignment.end()), whole.alignment.end());
  return whole;
}

/// Returns the n_best combinations of the parts' candidates with the highest summed normalised scores.
std::vector<Candidate> CandidateText::best_combinations(const std::string& line, std::span<const LinePart> parts,
                                                        const std::vector<std::vector<Candidate>>& candidates) const {
  std::vector<std::vector<double>> scores;
  for (const auto& of_part : candidates) {
    auto& part_scores = scores.emplace_back();
    std::ranges::transform(of_part, std::back_inserter(part_scores), &Candidate::normalized_score);
  }
  CandidateCombinations combinations(std::move(scores));
  std::vector<Candidate> best;
  while (std::ssize(best) < options_.n_best) {
    const auto chosen = combinations.next();
    if (!chosen) {
      break;
    }
    Choice choice;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      choice.push_back(&candidates[i][(*chosen)[i]]);
    }
    if (auto text = joined(line, parts, choice); !has_text(best, text.text)) {
      best.push_back(std::move(text));
    }
  }
  return best;
}

/// Returns the first n_best different texts, best first; each joins the parts' samples of one number. The parts keep
/// these samples alone, in the same order.
std::vector<Candidate> CandidateText::joined_samples(const std::string& line, std::span<LinePart> parts,
                                                     std::vector<std::vector<Candidate>>& samples) const {
  std::vector<Candidate> texts;
  std::vector<std::size_t> draws;
  for (std::size_t draw = 0; draw < samples.front().size() && std::ssize(texts) < options_.n_best; ++draw) {
    Choice choice;
    for (const auto& of_part : samples) {
      choice.push_back(&of_part[draw]);
    }
    if (auto text = parts.size() == 1 ? *choice.front() : joined(line, parts, choice); !has_text(texts, text.text)) {
      texts.push_back(std::move(text));
      draws.push_back(draw);
    }
  }
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return texts[i].normalized_score; });
  select(texts, order);
  select(draws, order);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    select(samples[i], draws);
    select(parts[i].sentence.hypotheses, draws);
  }
  return texts;
}

/// Returns the candidates in the order of the hypotheses.
std::vector<Candidate> CandidateText::candidates(const LinePart& part) const {
  std::vector<Candidate> result;
  for (const auto& hypothesis : part.sentence.hypotheses) {
    result.push_back(candidate(part, hypothesis));
  }
  return result;
}

void CandidateText::fill(Translation& translation, std::span<LinePart> parts) const {
  std::vector<std::vector<Candidate>> of_parts;
  for (const auto& part : parts) {
    of_parts.push_back(candidates(part));
    if (translation.source.size() > kMostDetailed) {
      std::ranges::for_each(of_parts.back(), drop_details);
    }
  }
  if (options_.sampling && !parts.front().sentence.scoring) {
    translation.nbest = joined_samples(translation.source, parts, of_parts);
  } else if (parts.size() == 1) {
    translation.nbest = std::move(of_parts.front());
  } else {
    translation.nbest = best_combinations(translation.source, parts, of_parts);
  }
  static_cast<Candidate&>(translation) = translation.nbest.front();
  add_parts(translation, parts, std::move(of_parts));
}

/// Adds the parts, and with several their translations: the first ones are those of the line's own translation.
void CandidateText::add_parts(Translation& translation, std::span<LinePart> parts,
                              std::vector<std::vector<Candidate>> candidates) {
  std::vector<std::string> between(1);
  if (parts.size() > 1) {
    Choice first;
    for (const auto& of_part : candidates) {
      first.push_back(&of_part.front());
    }
    between = separators(parts, first);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& sentence = parts[i].sentence;
    translation.suspiciously_short = translation.suspiciously_short || is_suspiciously_short(sentence);
    translation.parts.push_back({.separator = std::move(between[i]),
                                 .source = std::move(parts[i].text),
                                 .encoder_input = std::move(sentence.encoder_input),
                                 .hypothesis = std::move(sentence.hypotheses.front()),
                                 .nbest = {}});
    if (parts.size() > 1) {
      translation.parts.back().nbest = std::move(candidates[i]);
    }
  }
}

bool CandidateText::draws_more(std::span<LinePart> parts) const {
  constexpr std::int64_t kMostRounds = 8;
  if (!options_.sampling || options_.n_best == 1 || parts.front().sentence.scoring) {
    return false;
  }
  std::vector<std::string> texts(static_cast<std::size_t>(parts.front().sentence.first_draw + options_.n_best));
  for (auto& part : parts) {
    append(part.drawn, part.sentence.hypotheses);
    std::ranges::sort(part.drawn, {}, &Hypothesis::draw);
    for (std::size_t draw = 0; draw < texts.size(); ++draw) {
      texts[draw] += target_.decode(part.drawn[draw].ids) + '\n';
    }
  }
  const std::set<std::string> different(texts.begin(), texts.end());
  const bool draws_more = std::ssize(different) < options_.n_best && std::ssize(texts) < kMostRounds * options_.n_best;
  for (auto& part : parts) {
    if (draws_more) {
      part.sentence.first_draw = std::ssize(texts);
      part.sentence.hypotheses.clear();
    } else {
      part.sentence.hypotheses = std::move(part.drawn);
    }
  }
  return draws_more;
}

}  // namespace translate

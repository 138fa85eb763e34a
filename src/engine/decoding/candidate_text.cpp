#include "decoding/candidate_text.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "decoding/candidate_combinations.h"
#include "decoding/part_joining.h"
#include "decoding/text_words.h"
#include "segments/icu_message.h"
#include "segments/term_symbols.h"
#include "segments/text_marks.h"

namespace translate {

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

/// Returns the words of a text that end in it, where another text follows.
std::int64_t words_before(std::string_view text) {
  const auto words = TextWords(text).words();
  return words > 0 && trailing_space(text).empty() ? words - 1 : words;
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

/// Returns whether a translation has so few subwords for its source, of `source` subwords, that a part of it is
/// probably missing.
bool is_suspiciously_short(const Sentence& sentence, std::int64_t source) {
  constexpr std::int64_t kFewestSubwords = 12;  // minimum source length for a reliable ratio
  constexpr std::int64_t kMostTimesShorter = 2;
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

Candidate CandidateText::candidate(const LinePart& part, const Hypothesis& hypothesis, const Details& details) const {
  Candidate candidate;
  const auto generated = text_of(part, hypothesis.ids);
  GeneratedWords words;
  if (details.alignments || details.word_scores || part.plan.needs_alignment()) {
    words = words_of_hypothesis(part, hypothesis, generated);
  }
  if (part.is_raw()) {
    candidate.text = generated;
  } else {
    auto planned = planner_->translation(part.plan, generated, words.alignment,
                                         /*with_words=*/details.alignments || details.word_scores);
    candidate.text = std::move(planned.text);
    words.in_translation = std::move(planned.words);
    words.alignment = std::move(planned.alignment);
  }
  if (details.is_message) {
    candidate.text = icu_branch_text(candidate.text);
  }
  candidate.score = hypothesis.score;
  candidate.normalized_score = hypothesis.normalized_score;
  candidate.truncated = hypothesis.truncated;
  candidate.missing_terms = part.unwritten;
  for (const auto number : hypothesis.missing_terms) {
    candidate.missing_terms.push_back(part.sentence.terms->terms()[static_cast<std::size_t>(number)].text);
  }
  candidate.token_scores = hypothesis.subword_scores;
  for (const auto id : hypothesis.ids) {
    candidate.tokens.push_back(target_.subword(id));
  }
  add_words(part, hypothesis, words, details, candidate);
  return candidate;
}

/// Returns the translation of a part that is copied.
Candidate CandidateText::copy(const LinePart& part, const Details& details) {
  Candidate candidate;
  candidate.text = details.is_message ? icu_branch_text(part.plan.text) : part.plan.text;
  const auto words = TextWords(candidate.text).words();
  if (details.word_scores) {
    candidate.word_scores.assign(static_cast<std::size_t>(words), 0.0);
  }
  if (details.alignments) {
    const auto first = words_before(std::string_view(part.text).substr(0, part.plan_begin));
    const auto last = TextWords(part.text).words() - 1;  // a term of a glossary may have more words than its source
    for (std::int64_t word = 0; word < words; ++word) {
      candidate.alignment.push_back({.source = std::min(first + word, last), .target = word});
    }
  }
  return candidate;
}

/// Finds the words of what the model has read of a part and generated for it.
CandidateText::GeneratedWords CandidateText::words_of_hypothesis(const LinePart& part, const Hypothesis& hypothesis,
                                                                 const std::string& generated) const {
  GeneratedWords words;
  words.of_subwords = words_of_target(target_, generated, hypothesis.ids);
  if (part.sentence.is_aligned) {
    words.alignment = align_words(hypothesis, part.sentence.source_begin,
                                  words_of_source(source_, part.read_text(), part.sentence.source_subwords()),
                                  {.words = words.of_subwords, .have_letters = have_letters(target_, hypothesis.ids)});
  }
  return words;
}

/// Fills in what is asked for of the words.
void CandidateText::add_words(const LinePart& part, const Hypothesis& hypothesis, const GeneratedWords& words,
                              const Details& details, Candidate& candidate) {
  if (details.word_scores) {
    const auto place = [&](std::int64_t word) {
      const auto& places = words.in_translation;
      return places.empty() ? word : places[std::min(static_cast<std::size_t>(word), places.size() - 1)];
    };
    candidate.word_scores.assign(static_cast<std::size_t>(TextWords(candidate.text).words()), 0.0);
    for (std::size_t i = 0; i < words.of_subwords.size(); ++i) {
      candidate.word_scores[static_cast<std::size_t>(place(words.of_subwords[i]))] += hypothesis.subword_scores[i];
    }
  }
  if (details.alignments) {
    const auto first = words_before(std::string_view(part.text).substr(0, part.plan_begin));
    const auto in_source = part.is_raw() ? std::vector<std::int64_t>() : part.plan.source_words();
    for (const auto& [source, target] : words.alignment) {
      const auto word = in_source.empty() ? source : in_source[static_cast<std::size_t>(source)];
      candidate.alignment.push_back({.source = first + word, .target = target});
    }
    sort_alignment(candidate.alignment);
  }
}

/// Returns the n_best combinations of the parts' candidates with the highest summed normalised scores.
std::vector<Candidate> CandidateText::best_combinations(const std::string& line, const LineParts& parts,
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
    CandidateChoice choice;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      choice.push_back(&candidates[i][(*chosen)[i]]);
    }
    if (auto text = join_parts(line, parts.parts, choice, parts.is_aligned); !has_text(best, text.text)) {
      best.push_back(std::move(text));
    }
  }
  return best;
}

/// Returns the first n_best different texts, best first; each joins the parts' samples of one number. The parts keep
/// these samples alone, in the same order.
std::vector<Candidate> CandidateText::joined_samples(const std::string& line, LineParts& parts,
                                                     std::vector<std::vector<Candidate>>& samples) const {
  std::vector<Candidate> texts;
  std::vector<std::size_t> draws;
  for (std::size_t draw = 0; draw < samples.front().size() && std::ssize(texts) < options_.n_best; ++draw) {
    CandidateChoice choice;
    for (const auto& of_part : samples) {
      choice.push_back(&of_part[draw]);
    }
    if (auto text = samples.size() == 1 ? *choice.front() : join_parts(line, parts.parts, choice, parts.is_aligned);
        !has_text(texts, text.text)) {
      texts.push_back(std::move(text));
      draws.push_back(draw);
    }
  }
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return texts[i].normalized_score; });
  select(texts, order);
  select(draws, order);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    select(samples[i], draws);
    select(parts.parts[i].sentence.hypotheses, draws);
  }
  return texts;
}

/// Returns the candidates in the order of the hypotheses.
std::vector<Candidate> CandidateText::candidates(const LinePart& part, const Details& details) const {
  if (part.plan.is_copied) {
    return {copy(part, details)};
  }
  std::vector<Candidate> result;
  for (const auto& hypothesis : part.sentence.hypotheses) {
    result.push_back(candidate(part, hypothesis, details));
  }
  return result;
}

/// Returns the words of a source with a subword that the vocabulary lacks. Most lines have none, which is known without
/// encoding their words one by one: the model reads all of them, and no subword of what it reads is unknown.
std::vector<std::string> CandidateText::unknown_words(std::string_view source, std::span<const LinePart> parts) const {
  const auto unk = source_.special_tokens().unk;
  const auto may_have_some = [&](const LinePart& part) {
    const auto& plan = part.plan;
    const bool is_read_whole = !plan.is_copied && !plan.kept && plan.before.empty() && plan.after.empty();
    return !is_read_whole || std::ranges::count(part.sentence.encoder_input, unk) > 0;
  };
  std::vector<std::string> unknown;
  if (source.size() > kMostDetailed || std::ranges::none_of(parts, may_have_some)) {
    return unknown;
  }
  for (const auto& [begin, end] : words_of(source)) {
    const auto word = source.substr(begin, end - begin);
    if (std::ranges::count(source_.encode(word), unk) > 0) {
      unknown.emplace_back(word);
    }
  }
  return unknown;
}

/// Returns the words that the model has read of a line and that the text of its training does not have.
std::vector<std::string> CandidateText::unseen_words(std::string_view source, std::span<const LinePart> parts) const {
  std::vector<std::string> unseen;
  if (!source_words_ || source.size() > kMostDetailed) {
    return unseen;
  }
  for (const auto& part : parts) {
    if (!part.plan.is_copied) {
      const auto& read = part.read_text();
      std::ranges::move(source_words_->unseen(part.plan.has_annotations ? without_annotations(read) : read),
                        std::back_inserter(unseen));
    }
  }
  return unseen;
}

void CandidateText::fill(Translation& translation, LineParts& line) const {
  auto& parts = line.parts;
  if (parts.empty()) {
    translation.text = line.leading;
    return;
  }
  translation.unknown_words = unknown_words(translation.source, parts);
  translation.unseen_words = unseen_words(translation.source, parts);
  const Details details{.alignments = line.is_aligned, .word_scores = word_scores_, .is_message = line.is_message};
  std::vector<std::vector<Candidate>> of_parts;
  for (const auto& part : parts) {
    of_parts.push_back(candidates(part, details));
    if (translation.source.size() > kMostDetailed) {
      std::ranges::for_each(of_parts.back(), drop_details);
    }
  }
  if (options_.sampling && !parts.front().sentence.scoring) {
    translation.nbest = joined_samples(translation.source, line, of_parts);
  } else if (parts.size() == 1 && !line.is_message) {
    translation.nbest = std::move(of_parts.front());
  } else {
    translation.nbest = best_combinations(translation.source, line, of_parts);
  }
  const bool is_scored = parts.front().sentence.scoring;
  for (auto& candidate : translation.nbest) {
    candidate.text = line.leading + candidate.text + line.trailing;
    if (confidence_ && !is_scored && !candidate.token_scores.empty()) {
      candidate.confidence = confidence_->at(candidate.score / static_cast<double>(candidate.token_scores.size()));
    }
  }
  static_cast<Candidate&>(translation) = translation.nbest.front();
  add_parts(translation, parts, std::move(of_parts));
  translation.parts.front().separator.insert(0, line.leading);
}

/// Adds the parts, and with several their translations: the first ones are those of the line's own translation.
void CandidateText::add_parts(Translation& translation, std::span<LinePart> parts,
                              std::vector<std::vector<Candidate>> candidates) const {
  std::vector<std::string> between = {parts.front().frame};
  if (parts.size() > 1) {
    CandidateChoice first;
    for (const auto& of_part : candidates) {
      first.push_back(&of_part.front());
    }
    between = separators(parts, first);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& sentence = parts[i].sentence;
    auto& translated = translation.parts.emplace_back();
    translated.separator = std::move(between[i]);
    translated.source = std::move(parts[i].text);
    if (!parts[i].plan.is_copied) {
      const auto& plan = parts[i].plan;
      const auto source = plan.has_annotations ? std::ssize(source_.encode(without_annotations(plan.text)))
                                               : std::ssize(sentence.source_subwords());
      translation.suspiciously_short = translation.suspiciously_short || is_suspiciously_short(sentence, source);
      translation.is_repaired = translation.is_repaired || sentence.is_repaired;
      translated.encoder_input = std::move(sentence.encoder_input);
      translated.hypothesis = std::move(sentence.hypotheses.front());
    }
    if (parts.size() > 1) {
      translated.nbest = std::move(candidates[i]);
    }
  }
}

}  // namespace translate

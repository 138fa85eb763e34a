#include "translate/decoding/candidate_text.h"

#include <algorithm>

#include "translate/decoding/text_words.h"

namespace translate {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The pairs of words that aligned pieces are of.
std::vector<AlignedWords> align_words(const Hypothesis& hypothesis, const std::vector<std::int64_t>& source_words,
                                      const std::vector<std::int64_t>& target_words) {
  std::vector<AlignedWords> alignment;
  for (std::size_t i = 0; i < target_words.size(); ++i) {
    const auto piece = hypothesis.aligned[i] - 1;  // the encoder input begins with sos
    if (piece >= 0 && piece < std::ssize(source_words)) {
      alignment.push_back({.source = source_words[static_cast<std::size_t>(piece)], .target = target_words[i]});
    }
  }
  std::ranges::sort(alignment);
  alignment.erase(std::unique(alignment.begin(), alignment.end()), alignment.end());
  return alignment;
}

}  // namespace

Candidate CandidateText::candidate(const DecodedPart& part, const Hypothesis& hypothesis) const {
  Candidate candidate;
  candidate.text = target_.decode(hypothesis.ids);
  candidate.score = hypothesis.score;
  candidate.normalized_score = hypothesis.normalized_score;
  candidate.truncated = hypothesis.truncated;
  candidate.token_scores = hypothesis.piece_scores;
  for (const auto id : hypothesis.ids) {
    candidate.tokens.push_back(target_.piece(id));
  }
  if (details_.alignments || details_.word_scores) {
    add_words(part, hypothesis, candidate);
  }
  return candidate;
}

void CandidateText::add_words(const DecodedPart& part, const Hypothesis& hypothesis, Candidate& candidate) const {
  const auto target_words = words_of_target(target_, hypothesis.ids);
  if (details_.word_scores) {
    candidate.word_scores.assign(static_cast<std::size_t>(TextWords(candidate.text).words()), 0.0);
    for (std::size_t i = 0; i < target_words.size(); ++i) {
      candidate.word_scores[static_cast<std::size_t>(target_words[i])] += hypothesis.piece_scores[i];
    }
  }
  if (details_.alignments) {
    const auto& input = part.sentence.encoder_input;
    const auto pieces = std::span(input).subspan(1, input.size() - 2);
    candidate.alignment = align_words(hypothesis, words_of_source(source_, part.text, pieces), target_words);
  }
}

Candidate CandidateText::joined(const std::string& line, std::span<const DecodedPart> parts) const {
  Candidate whole;
  const TextWords words(line);
  std::int64_t source_characters = 0;  // of the parts before
  std::int64_t target_words = 0;
  for (const auto& part : parts) {
    const auto best = candidate(part, part.sentence.hypotheses.front());
    whole.text += (whole.text.empty() || best.text.empty() ? "" : " ") + best.text;
    whole.score += best.score;
    whole.truncated = whole.truncated || best.truncated;
    append(whole.tokens, best.tokens);
    append(whole.token_scores, best.token_scores);
    append(whole.word_scores, best.word_scores);
    const TextWords part_words(part.text);
    for (const auto& pair : best.alignment) {
      // A part may begin or end inside a word of the line.
      const auto source = words.word_at(source_characters + part_words.first_character(pair.source));
      whole.alignment.push_back({.source = source, .target = target_words + pair.target});
    }
    source_characters += part_words.characters();
    target_words += TextWords(best.text).words();
  }
  std::ranges::sort(whole.alignment);
  whole.alignment.erase(std::unique(whole.alignment.begin(), whole.alignment.end()), whole.alignment.end());
  whole.normalized_score = penalty_.normalized(whole.score, std::ssize(whole.token_scores));
  return whole;
}

}  // namespace translate

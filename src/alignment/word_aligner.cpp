#include "alignment/word_aligner.h"

#include <algorithm>
#include <cstddef>

#include "alignment/alignment_model.h"
#include "alignment/pair_pass.h"
#include "alignment/symmetrization.h"

namespace translate {

namespace {

using Ids = std::span<const std::int32_t>;

std::vector<std::uint32_t> numbers_of(Ids sentence, const WordIndex& words) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(sentence.size());
  for (const auto id : sentence) {
    numbers.push_back(words.number_of(id));
  }
  return numbers;
}

DirectedLink best_link(const LinkMatrix& posteriors, std::size_t word) {
  const auto row = std::span(posteriors.links).subspan(word * posteriors.states, posteriors.states);
  const auto best = std::ranges::max_element(row);
  if (*best < posteriors.null[word]) {
    return {.position = kNoWord, .probability = posteriors.null[word]};
  }
  return {.position = static_cast<std::int32_t>(best - row.begin()), .probability = *best};
}

std::vector<DirectedLink> best_links(const LinkMatrix& posteriors) {
  std::vector<DirectedLink> links;
  links.reserve(posteriors.words);
  for (std::size_t word = 0; word < posteriors.words; ++word) {
    links.push_back(best_link(posteriors, word));
  }
  return links;
}

/// Appends the links of the second half of a sentence, whose other half begins at `begin`.
void append(std::vector<DirectedLink>& links, const std::vector<DirectedLink>& second, std::size_t begin) {
  for (auto link : second) {
    link.position += link.position == kNoWord ? 0 : static_cast<std::int32_t>(begin);
    links.push_back(link);
  }
}

std::vector<std::int32_t> positions_of(const std::vector<DirectedLink>& links) {
  std::vector<std::int32_t> positions;
  positions.reserve(links.size());
  for (const auto& link : links) {
    positions.push_back(link.position);
  }
  return positions;
}

}  // namespace

DirectedAlignments WordAligner::align_directions(Ids source, Ids target) const {
  if (source.empty() || target.empty()) {
    const DirectedLink none{.position = kNoWord, .probability = 1.0F};
    return {.source_of_target = std::vector(target.size(), none), .target_of_source = std::vector(source.size(), none)};
  }
  if (source.size() > model_->longest * model_->longest / target.size()) {
    const auto source_half = source.size() / 2;
    const auto target_half = target.size() / 2;
    auto links = align_directions(source.first(source_half), target.first(target_half));
    const auto second = align_directions(source.subspan(source_half), target.subspan(target_half));
    append(links.source_of_target, second.source_of_target, source_half);
    append(links.target_of_source, second.target_of_source, target_half);
    return links;
  }
  const auto source_numbers = numbers_of(source, model_->source_words);
  const auto target_numbers = numbers_of(target, model_->target_words);
  PairPass pass(*model_);
  PairSums sums;
  pass.run_hmm({.source = source_numbers, .target = target_numbers}, sums);
  return {.source_of_target = best_links(pass.forward()), .target_of_source = best_links(pass.backward())};
}

Alignment WordAligner::align(Ids source, Ids target) const {
  const auto links = align_directions(source, target);
  return grow_diag_final_and(positions_of(links.source_of_target), positions_of(links.target_of_source));
}

}  // namespace translate

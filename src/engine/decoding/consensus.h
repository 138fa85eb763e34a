#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/translation.h"
#include "inference/decoding_session.h"

namespace translate {

/// How a Translator chooses among the candidates of each sentence by minimum Bayes risk: it takes the one with the
/// highest expected utility, where each candidate is a reference as likely as it is frequent (Eikema and Aziz 2020, "Is
/// MAP Decoding All You Need?"; Freitag et al. 2022, "High Quality Rather than High Model Probability").
struct Consensus {
  /// Returns the utilities of different texts: element i * texts + j is that of text i if text j is the reference.
  /// Called by several threads at once.
  std::function<std::vector<double>(std::span<const std::string> texts)> utilities;
  /// Models that find candidates of their own, besides those of the Translator's model. They share its vocabularies.
  std::vector<std::shared_ptr<const InferenceModel>> other_models = {};
  /// Returns the scores of sentences given candidates (ScoringPair::source is the candidate); empty: they do not count.
  std::function<std::vector<double>(std::span<const ScoringPair> pairs)> reverse_scores = {};
  double reverse_weight = 0.0;  ///< of these scores, which are added to the expected utilities
};

/// The candidates of a sentence, equal ones together.
struct CandidatePool {
  std::vector<std::string> texts = {};     ///< all different, in the order in which they come first
  std::vector<std::int64_t> counts = {};   ///< how many candidates have each text
  std::vector<std::size_t> earliest = {};  ///< the first candidate that has it
};

/// Returns the pool of candidates with these texts.
[[nodiscard]] CandidatePool pool_candidates(std::vector<std::string> texts);

/// Returns the expected utility of each text: the mean over all candidates as references. `utilities`: of the pool's
/// texts, see Consensus::utilities.
[[nodiscard]] std::vector<double> expected_utilities(const CandidatePool& pool, std::span<const double> utilities);

/// Returns the index of the greatest value, of equal ones the first. There is at least one value.
[[nodiscard]] std::size_t first_greatest(std::span<const double> values);

}  // namespace translate

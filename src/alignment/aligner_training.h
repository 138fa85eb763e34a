#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "alignment/partner_ratios.h"
#include "alignment/word_aligner.h"

namespace translate {

/// A sentence and its translation, as ids of words or subwords. Ids are the caller's; those of the two sides have
/// nothing to do with each other.
struct IdPair {
  std::span<const std::int32_t> source;
  std::span<const std::int32_t> target;
};

/// Settings of the training of an aligner. docs/alignment.md has measurements of the defaults.
struct AlignerOptions {
  int model_1_iterations = 3;          ///< of IBM's Model 1, at least 1
  int hmm_iterations = 4;              ///< of the HMM, at least 1
  std::size_t partners_per_word = 32;  ///< bounds the table to so many entries for each word (find_candidate_links)
  double lexical_prior = 0.1;          ///< concentration of the Dirichlet prior on t(f|e), or 0: none
  float null_probability = 0.1F;       ///< p0 of GenerationOptions, between 0 and 1
  float uniform_share = 0.2F;          ///< u of JumpModel, between 0 and 1
  std::size_t longest = 256;           ///< words; longer sentences take no part in training (see also WordAligner)
};

/// An iteration of training that is done.
struct AlignerProgress {
  std::string stage;        ///< "Model 1" or "HMM"
  int iteration;            ///< of the stage, from 1
  double forward_entropy;   ///< bits for each target word, given the source, by the parameters before the iteration
  double backward_entropy;  ///< bits for each source word, given the target
};

/// Trains an aligner on `pairs` pairs by expectation maximisation: IBM's Model 1 (Brown et al. 1993) for lexical
/// probabilities, then the HMM (Vogel, Ney and Tillmann 1996; Och and Ney 2003) in both directions at once, each
/// towards the links on which both agree (Liang, Taskar and Klein 2006). `pair(i)` is called once for each i, in
/// ascending order, on the calling thread; its spans need to live until the next call. Pairs with an empty side, or one
/// of more than `options.longest` words, are left out. `progress` is called after each iteration, if it is given.
///
/// Uses kernel_threads() threads; the result does not depend on their number. Memory, at most: 12 bytes for each word
/// of the text, and for each different word 28 * partners_per_word bytes, with 16 more on each thread.
///
/// Throws ConfigError if an option lies outside of its range.
[[nodiscard]] WordAligner train_aligner(std::size_t pairs, const std::function<IdPair(std::size_t)>& pair,
                                        const AlignerOptions& options = {},
                                        const std::function<void(const AlignerProgress&)>& progress = {});

/// Trains Model 1 alone, in the same way and with the same memory, for PartnerRatios. The options of the HMM are not
/// used.
[[nodiscard]] PartnerRatios train_partner_ratios(std::size_t pairs, const std::function<IdPair(std::size_t)>& pair,
                                                 const AlignerOptions& options = {});

/// Trains Model 1 alone, in the same way, and returns the likeliest translations of each source id that occurs: up to
/// `most` target ids whose t(target | source) is at least `least`, the likeliest first.
[[nodiscard]] std::unordered_map<std::int32_t, std::vector<std::int32_t>> train_translations(
    std::size_t pairs, const std::function<IdPair(std::size_t)>& pair, std::size_t most, float least,
    const AlignerOptions& options = {});

}  // namespace translate

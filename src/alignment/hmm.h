#pragma once

#include <cstddef>
#include <vector>

#include "alignment/jump_model.h"

namespace translate {

/// A number for each pair of a generated word and a generating one, and one for each generated word and the null word:
/// the probabilities t(word | generating word), or the posteriors of these links.
struct LinkMatrix {
  std::size_t words = 0;     ///< J, generated
  std::size_t states = 0;    ///< I, generating
  std::vector<float> links;  ///< [words, states]
  std::vector<float> null;   ///< [words]

  void resize(std::size_t new_words, std::size_t new_states);
};

/// Settings of how words are generated.
struct GenerationOptions {
  float null_probability = 0.1F;  ///< p0: the share of words that the null word generates before its words are known
  float uniform_share = 0.2F;     ///< u of JumpModel
};

/// Computes the posteriors of IBM's Model 1 (Brown et al. 1993): every generating word is equally likely for each
/// generated one. `emissions` is t; both sides have words. Returns the log-probability of the generated sentence.
double model_1_posteriors(const LinkMatrix& emissions, const GenerationOptions& options, LinkMatrix& posteriors);

/// Computes the posteriors of links in the HMM of Vogel, Ney and Tillmann (1996) with null states as Och and Ney (2003)
/// have them: each position has a null state that remembers it, so that the next jump is counted from there. Before the
/// first word, the position is the one before the sentence. The scaled forward-backward algorithm (Rabiner 1989) takes
/// a time in proportion to words * states * min(states, kJumps). Jumps from states, and to states, whose share is below
/// a millionth are only counted in the uniform share. Keeps its memory for the next sentence.
class HmmPass {
 public:
  /// `emissions` is t; both sides have words. Adds the expected number of each jump to `counts`.
  /// Returns the log-probability of the generated sentence.
  double run(const LinkMatrix& emissions, const JumpModel& jumps, const GenerationOptions& options,
             LinkMatrix& posteriors, JumpCounts& counts);

 private:
  void prepare(const JumpModel& jumps, const GenerationOptions& options);
  double forward_step(const LinkMatrix& emissions, std::size_t word, LinkMatrix& posteriors);
  void backward_step(const LinkMatrix& emissions, std::size_t word, LinkMatrix& posteriors, JumpCounts& counts);
  void count_jumps(const float* from, JumpCounts& counts) const;
  void jump_back(float null_factor);

  std::size_t states_ = 0;
  float null_probability_ = 0.0F;
  float uniform_ = 0.0F;  // u / I
  const JumpModel* jumps_ = nullptr;
  std::vector<float> jump_scales_;  // [states + 1] (1 - u) / sum of weights, for each position that is jumped from
  std::vector<float> occupied_;     // [words + 1, states + 1] probability of each position after so many words
  std::vector<float> scales_;       // [words] factors that make these sum to 1
  std::vector<float> arriving_;     // [states + 1] probability of a jump to each position
  std::vector<float> future_;       // [states + 1] scaled probability of the words to come
  std::vector<float> reached_;      // [states + 1] that of the next word at each position and of the words after it
};

}  // namespace translate

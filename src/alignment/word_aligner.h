#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "text/alignment_point.h"

namespace translate {

struct AlignmentModel;

/// The most probable link of a word.
struct DirectedLink {
  std::int32_t position;  ///< of the word of the other side that generates it, from 0, or kNoWord: the null word does
  float probability;      ///< posterior, 0-1

  bool operator==(const DirectedLink&) const = default;
};

/// The links of a pair in each direction.
struct DirectedAlignments {
  std::vector<DirectedLink> source_of_target;  ///< for each target word
  std::vector<DirectedLink> target_of_source;  ///< for each source word
};

/// Links the words of sentences to those of their translations, by a model that train_aligner has trained
/// (alignment/aligner_training.h). Copies share it; any number of threads may align at once.
///
/// All sentences are allowed. Words that did not occur in training are linked by their places, preferably to each
/// other. A pair with an empty side has no links. Memory and time are bounded: of a pair with more than `longest`^2
/// (AlignerOptions) products of words, the first halves of both sides are aligned, and the second halves, and so on.
class WordAligner {
 public:
  explicit WordAligner(std::shared_ptr<const AlignmentModel> model) : model_(std::move(model)) {}

  /// The links of both directions, joined by grow_diag_final_and.
  [[nodiscard]] Alignment align(std::span<const std::int32_t> source, std::span<const std::int32_t> target) const;

  /// For each word of each side, the link of the highest posterior under the HMM of its direction.
  [[nodiscard]] DirectedAlignments align_directions(std::span<const std::int32_t> source,
                                                    std::span<const std::int32_t> target) const;

 private:
  std::shared_ptr<const AlignmentModel> model_;
};

}  // namespace translate

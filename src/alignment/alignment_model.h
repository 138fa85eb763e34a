#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "alignment/hmm.h"
#include "alignment/jump_model.h"
#include "alignment/lexical_table.h"
#include "alignment/word_index.h"

namespace translate {

/// The parameters of both directions; forward, the source generates the target.
struct AlignmentModel {
  WordIndex source_words;
  WordIndex target_words;
  LexicalTable table;
  JumpModel forward_jumps;
  JumpModel backward_jumps;
  GenerationOptions generation;
  std::size_t longest = 0;  ///< AlignerOptions
};

/// A pair of sentences as numbers of words (WordIndex). Both have words.
struct NumberedPair {
  std::span<const std::uint32_t> source;
  std::span<const std::uint32_t> target;
};

}  // namespace translate

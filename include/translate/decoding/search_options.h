#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/decoding/hypothesis.h"
#include "translate/text/special_tokens.h"

namespace translate {

/// How sentences are searched for.
struct SearchOptions {
  DecodingOptions decoding;
  SpecialTokens target;     ///< unk, sos and pad are never said, but where a prefix has them
  bool alignments = false;  ///< fill Hypothesis::aligned
  /// The text of ids, without sos and eos. Where given, no two results of a beam search have the same text.
  std::function<std::string(const std::vector<std::int64_t>& ids)> text_of = {};
  bool early_stopping = true;  ///< end a beam search when the rest cannot change its result; tests look at the rest
};

/// A sentence to decode, and what came of it.
struct Sentence {
  std::vector<std::int64_t> encoder_input;  ///< sos, pieces, eos
  std::int64_t max_length = 0;              ///< pieces said at most, eos counted (1 at least)
  std::vector<std::int64_t> prefix;         ///< the translation begins with these pieces
  bool scoring = false;                     ///< `prefix` is all that is said, eos included; no piece is forbidden
  std::uint64_t random_key = 0;             ///< what is drawn depends on it and the seed: as good as one of its own
  std::int64_t first_draw = 0;              ///< the number of the first sample; those before were drawn already
  std::vector<Hypothesis> hypotheses;       ///< the result, best first
};

/// Rows of a session that a sentence may take up at a time.
[[nodiscard]] inline std::int64_t most_rows(const SearchOptions& options, const Sentence& sentence) {
  if (sentence.scoring) {
    return 1;
  }
  return options.decoding.sampling ? options.decoding.n_best : options.decoding.beam_size;
}

}  // namespace translate

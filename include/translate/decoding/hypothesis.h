#pragma once

#include <cstdint>
#include <vector>

namespace translate {

/// A translation as ids.
struct Hypothesis {
  std::vector<std::int64_t> ids;      ///< without sos and eos
  double score = 0.0;                 ///< log-probability of the ids and eos, summed (nats)
  double normalized_score = 0.0;      ///< the score over its length penalty: what hypotheses are compared by
  bool truncated = false;             ///< the length limit came before eos
  std::int64_t draw = 0;              ///< the number of a sample among those of its sentence, in the order of drawing
  std::vector<double> piece_scores;   ///< log-probability of each id, then of eos unless truncated
  std::vector<std::int64_t> aligned;  ///< for each id the position in the encoder input that it looked at most, sos and
                                      ///< eos aside (-1: there is no other); empty unless asked for
};

}  // namespace translate

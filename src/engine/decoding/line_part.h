#pragma once

#include <string>
#include <vector>

#include "decoding/search/search.h"

namespace translate {

/// A part of a line, and the sentence to decode for it.
struct LinePart {
  std::string text;
  std::string separator = {};  ///< the white space between the part before and this one
  Sentence sentence = {};
  std::string prefix = {};             ///< the given prefix, if some of it is unknown: translations show it like this
  std::vector<Hypothesis> drawn = {};  ///< samples of earlier rounds (see draws_more in more_samples.h)
};

}  // namespace translate

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "decoding/search/search.h"
#include "segments/segment_plan.h"

namespace translate {

/// A part of a line, and the sentence to decode for it.
struct LinePart {
  std::string text;
  std::string frame = {};      ///< of a message: stands in front of its translation (see IcuMessage)
  std::string separator = {};  ///< the white space between the part before and this one
  Sentence sentence = {};      ///< none if the plan says that the part is copied
  SegmentPlan plan = {};       ///< unless lines are translated raw
  std::size_t plan_begin = 0;  ///< where in the text plan.source begins, in bytes
  std::string prefix = {};     ///< the given prefix, if some of it is unknown: translations show it like this
  std::vector<std::string> unwritten = {};  ///< terms of glossaries that the vocabulary cannot write
  std::vector<Hypothesis> drawn = {};       ///< samples of earlier rounds (see draws_more in more_samples.h)

  /// Whether every byte of the translation is the model's. A plan has text.
  [[nodiscard]] bool is_raw() const { return plan.text.empty(); }
  /// What the model reads, unless the part is copied.
  [[nodiscard]] const std::string& read_text() const { return is_raw() ? text : plan.text; }
};

}  // namespace translate

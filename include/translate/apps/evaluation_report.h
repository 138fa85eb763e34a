#pragma once

#include <string>

#include "translate/apps/comparison.h"
#include "translate/apps/evaluation.h"
#include "translate/apps/scored_text.h"

namespace translate {

/// A page of HTML that needs nothing beside it: the scores with their signatures, the comparison with other systems
/// where there is one, scores by length of the reference, a histogram of each metric over the sentences, the worst
/// sentences and some others, each with what is missing in it and what it adds.
[[nodiscard]] std::string evaluation_report(const Evaluation& evaluation, const ScoredText& text,
                                            const Comparison* comparison);

}  // namespace translate

#pragma once

#include <cstddef>
#include <string>

#include "apps/eval/comparison.h"
#include "apps/eval/evaluation.h"
#include "apps/eval/scored_text.h"

namespace translate {

/// Sentences that a page shows: all of a file that has no more, otherwise the worst half and others at even distances.
constexpr std::size_t kReportedSentences = 5000;

/// A page of HTML that needs nothing beside it: the scores with their signatures, the length ratio, the comparison with
/// other systems where there is one, scores by length of the reference, a histogram of each metric over the sentences,
/// and a table of the sentences with the words that are missing and those that were added. It holds no path: systems
/// are called by the names of their files, where these differ.
[[nodiscard]] std::string evaluation_report(const Evaluation& evaluation, const ScoredText& text,
                                            const Comparison* comparison);

}  // namespace translate

#pragma once

#include <cstddef>
#include <string>

#include "eval/comparison.h"
#include "eval/evaluation.h"

namespace translate::tools {

/// The most sentences that a page shows. Of a longer file it shows the worst ones, which fill one half of the page, and
/// others at even distances.
constexpr std::size_t kReportedSentences = 5000;

/// Returns a self-contained HTML page with the scores and their signatures, the length ratio, the comparison with other
/// systems if there is one, scores by length of the reference, a histogram of each metric over the sentences, and a
/// table of the sentences with their missing and added words. The page contains no path: systems have the names of
/// their files if these differ.
[[nodiscard]] std::string evaluation_report(const Evaluation& evaluation, const ScoredOutput& text,
                                            const Comparison* comparison);

}  // namespace translate::tools

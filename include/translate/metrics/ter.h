#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/metrics/corpus_metric.h"

namespace translate {

/// Translation edit rate (Snover et al. 2006) as sacreBLEU defines it by default: edits with shifts (see
/// count_shifted_edits) over the words of the references, in lower case, words being what white space separates. Of
/// several references the one with the fewest edits counts, over the mean of their lengths. Above 100 where hypotheses
/// are far too long. Where all references are empty it is 0 if all hypotheses are empty too, else 100.
class Ter : public CorpusMetric {
 public:
  /// Edits and reference words.
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const override;
  [[nodiscard]] double score(std::span<const double> sums) const override;
  [[nodiscard]] bool higher_is_better() const override { return false; }
  [[nodiscard]] std::string settings() const override;
};

}  // namespace translate

#include "translate/metrics/corpus_check.h"

#include "translate/core/error.h"

namespace translate {

void check_corpus(std::string_view metric, std::span<const std::string> hypotheses,
                  std::span<const std::string> references) {
  const std::string name(metric);
  if (hypotheses.size() != references.size()) {
    throw DataError(name + " needs one hypothesis for each reference, but there are " +
                    std::to_string(hypotheses.size()) + " hypotheses and " + std::to_string(references.size()) +
                    " references: give files with the same number of lines");
  }
  if (hypotheses.empty()) {
    throw DataError(name + " needs at least one hypothesis and its reference, but there are none: is the file empty?");
  }
}

}  // namespace translate

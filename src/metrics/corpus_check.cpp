#include "translate/metrics/corpus_check.h"

#include <cstddef>

#include "translate/core/error.h"

namespace translate {

void check_corpus(std::string_view metric, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references) {
  const std::string name(metric);
  if (references.empty()) throw DataError(name + " needs references, but no list of them was given");
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (hypotheses.size() == references[i].size()) continue;
    const std::string which = references.size() == 1 ? "" : " in list " + std::to_string(i + 1);
    throw DataError(name + " needs one hypothesis for each reference, but there are " +
                    std::to_string(hypotheses.size()) + " hypotheses and " + std::to_string(references[i].size()) +
                    " references" + which + ": give files with the same number of lines");
  }
  if (hypotheses.empty()) {
    throw DataError(name + " needs at least one hypothesis and its reference, but there are none: is the file empty?");
  }
}

}  // namespace translate

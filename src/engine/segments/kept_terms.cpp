#include "segments/kept_terms.h"

#include <utility>
#include <vector>

namespace translate {

KeptTerms::KeptTerms(std::span<const std::string> terms) {
  std::vector<TermIndex::Term> exact;
  for (const auto& term : terms) {
    exact.push_back({.text = term, .letters = TermIndex::Letters::kExact, .number = exact.size()});
  }
  index_ = TermIndex(std::move(exact));
}

}  // namespace translate

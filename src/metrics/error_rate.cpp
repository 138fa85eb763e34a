#include "translate/metrics/error_rate.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "translate/core/utf8.h"
#include "translate/metrics/corpus_check.h"
#include "translate/metrics/words.h"

namespace translate {
namespace {

/// Levenshtein distance by dynamic programming, two rows at a time (Wagner and Fischer 1974), for symbols comparable by
/// ==. Common ends cost nothing and are cut first, which makes nearly equal lines cheap.
template <typename Symbol>
std::int64_t edit_distance(std::span<const Symbol> a, std::span<const Symbol> b) {
  if (a.size() > b.size()) std::swap(a, b);  // the rows are as long as the shorter one
  const auto same_from_front = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
  a = a.subspan(static_cast<std::size_t>(same_from_front));
  b = b.subspan(static_cast<std::size_t>(same_from_front));
  const auto same_from_back = std::mismatch(a.rbegin(), a.rend(), b.rbegin()).first - a.rbegin();
  a = a.first(a.size() - static_cast<std::size_t>(same_from_back));
  b = b.first(b.size() - static_cast<std::size_t>(same_from_back));

  std::vector<std::int64_t> above(a.size() + 1);  // above[i]: distance of the first i of a to the b read so far
  std::vector<std::int64_t> row(a.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (const Symbol& symbol : b) {
    row[0] = above[0] + 1;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const std::int64_t substituted = above[i - 1] + (a[i - 1] == symbol ? 0 : 1);
      row[i] = std::min(substituted, std::min(above[i], row[i - 1]) + 1);
    }
    std::swap(above, row);
  }
  return above.back();
}

/// The error rate over lines cut into symbols by `split` (UTF-8 line to a container of symbols).
template <typename Symbol, typename Split>
ErrorRate corpus_error_rate(std::span<const std::string> hypotheses, std::span<const std::string> references,
                            Split split) {
  ErrorRate result;
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    const auto hypothesis = split(hypotheses[line]);
    const auto reference = split(references[line]);
    result.edits += edit_distance(std::span<const Symbol>(hypothesis), std::span<const Symbol>(reference));
    result.reference_length += static_cast<std::int64_t>(reference.size());
  }
  if (result.reference_length > 0) {
    result.score = 100.0 * static_cast<double>(result.edits) / static_cast<double>(result.reference_length);
  } else {
    result.score = result.edits > 0 ? 100.0 : 0.0;
  }
  return result;
}

}  // namespace

ErrorRate corpus_cer(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  check_corpus("CER", hypotheses, references);
  return corpus_error_rate<char32_t>(hypotheses, references, decode_utf8);
}

ErrorRate corpus_wer(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  check_corpus("WER", hypotheses, references);
  return corpus_error_rate<std::string_view>(hypotheses, references, split_at_spaces);
}

}  // namespace translate

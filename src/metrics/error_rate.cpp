#include "metrics/error_rate.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/utf8.h"
#include "metrics/corpus_metric.h"
#include "metrics/words.h"

namespace translate {

namespace {

/// The largest number of pairs of symbols to compare: about half a minute.
constexpr std::size_t kMostPairs = std::size_t{1} << 34U;

/// Levenshtein distance by dynamic programming, two rows at a time (Wagner and Fischer 1974), for symbols comparable by
/// ==. Common prefixes and suffixes cost nothing and are cut first, which makes nearly equal lines cheap.
template <typename Symbol>
std::int64_t edit_distance(std::span<const Symbol> a, std::span<const Symbol> b, std::string_view unit) {
  const std::size_t hypothesis_length = a.size();
  const std::size_t reference_length = b.size();
  if (a.size() > b.size()) {
    std::swap(a, b);  // the rows are as long as the shorter one
  }
  const auto same_from_front = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
  a = a.subspan(static_cast<std::size_t>(same_from_front));
  b = b.subspan(static_cast<std::size_t>(same_from_front));
  const auto same_from_back = std::mismatch(a.rbegin(), a.rend(), b.rbegin()).first - a.rbegin();
  a = a.first(a.size() - static_cast<std::size_t>(same_from_back));
  b = b.first(b.size() - static_cast<std::size_t>(same_from_back));
  if (!a.empty() && b.size() > kMostPairs / a.size()) {
    throw_too_long_to_compare(hypothesis_length, reference_length, unit);
  }

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

/// Returns the edits and the length of two lines, split into symbols by `split` (UTF-8 line to a container of symbols).
template <typename Symbol, typename Split>
std::vector<double> compare(std::string_view hypothesis, std::string_view reference, Split split,
                            std::string_view unit) {
  const auto hypothesis_symbols = split(hypothesis);
  const auto wanted = split(reference);
  const std::int64_t edits =
      edit_distance(std::span<const Symbol>(hypothesis_symbols), std::span<const Symbol>(wanted), unit);
  return {static_cast<double>(edits), static_cast<double>(wanted.size())};
}

std::vector<double> compare(std::string_view hypothesis, std::string_view reference, ErrorUnit unit) {
  if (unit == ErrorUnit::kCharacter) {
    return compare<char32_t>(hypothesis, reference, decode_utf8, "characters");
  }
  return compare<std::string_view>(hypothesis, reference, split_at_spaces, "words");
}

}  // namespace

double error_rate(double edits, double length) {
  if (length > 0.0) {
    return 100.0 * (edits / length);
  }
  return edits > 0.0 ? 100.0 : 0.0;
}

std::vector<double> ErrorRate::count(std::string_view hypothesis, SentenceReferences references) const {
  const auto in_case = [this](std::string_view line) { return lowercase_ ? to_lower_case(line) : std::string(line); };
  const std::string hypothesis_text = in_case(hypothesis);
  std::vector<double> best;
  for (const std::string& reference : references) {
    std::vector<double> counts = compare(hypothesis_text, in_case(reference), unit_);
    if (best.empty() || score(counts) < score(best)) {
      best = std::move(counts);
    }
  }
  return best;
}

double ErrorRate::score(std::span<const double> sums) const { return error_rate(sums[0], sums[1]); }

std::string ErrorRate::settings() const { return std::string("case:") + (lowercase_ ? "lc" : "mixed"); }

}  // namespace translate

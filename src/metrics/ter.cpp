#include "translate/metrics/ter.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "translate/metrics/corpus_check.h"
#include "translate/metrics/error_rate.h"
#include "translate/metrics/shifted_edits.h"
#include "translate/metrics/token_numbers.h"
#include "translate/metrics/unicode_text.h"
#include "translate/metrics/words.h"

namespace translate {
namespace {

std::vector<std::uint32_t> word_numbers(std::string_view line, TokenNumbers& token_numbers) {
  const std::string lower = to_lower_case(line);
  const std::vector<std::string_view> words = split_at_spaces(lower);
  return token_numbers.encode({words.begin(), words.end()});
}

}  // namespace

std::vector<double> Ter::count(std::string_view hypothesis, SentenceReferences references) const {
  TokenNumbers token_numbers;
  const std::vector<std::uint32_t> said = word_numbers(hypothesis, token_numbers);
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::size_t words = 0;
  for (const std::string& reference : references) {
    const std::vector<std::uint32_t> wanted = word_numbers(reference, token_numbers);
    fewest = std::min(fewest, count_shifted_edits(said, wanted));
    words += wanted.size();
  }
  return {static_cast<double>(fewest), static_cast<double>(words) / static_cast<double>(references.size())};
}

double Ter::score(std::span<const double> sums) const { return error_rate(sums[0], sums[1]); }

std::string Ter::settings() const {
  return "case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:" + std::string(kSacrebleuVersion);
}

}  // namespace translate

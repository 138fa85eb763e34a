#include "decoding/more_samples.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace translate {

bool draws_more(std::span<LinePart> parts, const DecodingOptions& options, const Tokenizer& target) {
  constexpr std::int64_t kMostRounds = 8;
  if (!options.sampling || options.n_best == 1 || parts.front().sentence.scoring) {
    return false;
  }
  std::vector<std::string> texts(static_cast<std::size_t>(parts.front().sentence.first_draw + options.n_best));
  for (auto& part : parts) {
    part.drawn.insert(part.drawn.end(), part.sentence.hypotheses.begin(), part.sentence.hypotheses.end());
    std::ranges::sort(part.drawn, {}, &Hypothesis::draw);
    for (std::size_t draw = 0; draw < texts.size(); ++draw) {
      texts[draw] += target.decode(part.drawn[draw].ids) + '\n';
    }
  }
  const std::set<std::string> different(texts.begin(), texts.end());
  const bool draws_more = std::ssize(different) < options.n_best && std::ssize(texts) < kMostRounds * options.n_best;
  for (auto& part : parts) {
    if (draws_more) {
      part.sentence.first_draw = std::ssize(texts);
      part.sentence.hypotheses.clear();
    } else {
      part.sentence.hypotheses = std::move(part.drawn);
    }
  }
  return draws_more;
}

}  // namespace translate

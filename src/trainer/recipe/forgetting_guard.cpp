#include "recipe/forgetting_guard.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace translate::trainer {

NamedArrays interpolated_weights(const NamedArrays& start, const NamedArrays& end, double share) {
  std::map<std::string, StoredArray> from(start.begin(), start.end());
  NamedArrays between;
  for (const auto& [name, array] : end) {
    const auto found = from.find(name);
    if (found == from.end() || found->second.shape != array.shape) {
      throw CheckpointError(fmt::format("the weights before the fine-tuning have no {} of the shape after it", name));
    }
    const auto before = as_floats(found->second, name);
    const auto after = as_floats(array, name);
    std::vector<float> values(static_cast<std::size_t>(array.count()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>((1.0 - share) * static_cast<double>(before.get()[i]) +
                                     share * static_cast<double>(after.get()[i]));
    }
    between.emplace_back(name, stored_floats(array.shape, std::move(values)));
  }
  return between;
}

GuardedShare guarded_share(double start, double loss, const std::function<double(double share)>& bleu_at) {
  constexpr int kHalvings = 4;
  const auto at_end = bleu_at(1.0);
  if (at_end >= start - loss) {
    return {.share = 1.0, .general_bleu = at_end, .end_bleu = at_end};
  }
  GuardedShare kept{.share = 0.0, .general_bleu = start, .end_bleu = at_end};
  double too_far = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const auto share = (kept.share + too_far) / 2.0;
    const auto bleu = bleu_at(share);
    if (bleu >= start - loss) {
      kept.share = share;
      kept.general_bleu = bleu;
    } else {
      too_far = share;
    }
  }
  return kept;
}

}  // namespace translate::trainer

#include "translate/checkpoint/average_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "translate/core/error.h"

namespace translate {

NamedArrays average_weights(std::span<const Checkpoint> checkpoints) {
  auto mean = checkpoints.front().weights();
  if (checkpoints.size() == 1) {
    return mean;
  }
  std::vector<std::map<std::string, StoredArray>> others;
  for (const auto& checkpoint : checkpoints.subspan(1)) {
    const auto weights = checkpoint.weights();
    others.emplace_back(weights.begin(), weights.end());
    if (others.back().size() != mean.size()) {
      throw CheckpointError(fmt::format("{} holds {} tensors and {} holds {}: they have no mean",
                                        checkpoint.folder().string(), others.back().size(),
                                        checkpoints.front().folder().string(), mean.size()));
    }
  }
  for (auto& [name, array] : mean) {
    auto sum = as_doubles(array, name);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto other = others[i].find(name);
      if (other == others[i].end() || other->second.shape != array.shape) {
        throw CheckpointError(fmt::format("{} has no {} of the shape in {}: they have no mean",
                                          checkpoints[i + 1].folder().string(), name,
                                          checkpoints.front().folder().string()));
      }
      std::ranges::transform(sum, as_doubles(other->second, name), sum.begin(), std::plus());
    }
    const auto count = static_cast<double>(checkpoints.size());
    std::vector<float> values(sum.size());
    std::ranges::transform(sum, values.begin(), [count](double each) { return static_cast<float>(each / count); });
    array = stored_floats(array.shape, std::move(values));
  }
  return mean;
}

}  // namespace translate

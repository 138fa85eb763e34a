#include "translate/checkpoint/average_weights.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "translate/core/error.h"

namespace translate {

NamedTensors average_weights(std::span<const Checkpoint> checkpoints) {
  auto mean = checkpoints.front().weights();
  if (checkpoints.size() == 1) {
    return mean;
  }
  std::vector<std::map<std::string, at::Tensor>> others;
  for (const auto& checkpoint : checkpoints.subspan(1)) {
    const auto weights = checkpoint.weights();
    others.emplace_back(weights.begin(), weights.end());
    if (others.back().size() != mean.size()) {
      throw CheckpointError(fmt::format("{} holds {} tensors and {} holds {}: they have no mean",
                                        checkpoint.folder().string(), others.back().size(),
                                        checkpoints.front().folder().string(), mean.size()));
    }
  }
  for (auto& [name, tensor] : mean) {
    auto sum = tensor.to(at::kDouble);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto other = others[i].find(name);
      if (other == others[i].end() || other->second.sizes() != tensor.sizes()) {
        throw CheckpointError(fmt::format("{} has no {} of the shape in {}: they have no mean",
                                          checkpoints[i + 1].folder().string(), name,
                                          checkpoints.front().folder().string()));
      }
      sum += other->second.to(at::kDouble);
    }
    tensor = (sum / static_cast<double>(checkpoints.size())).to(tensor.scalar_type());
  }
  return mean;
}

}  // namespace translate

#include "translate/training/moments.h"

#include <fmt/format.h>

#include <map>

#include "translate/core/error.h"

namespace translate {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

NamedTensors named_moments(const NamedTensors& parameters, const std::vector<at::Tensor>& values) {
  NamedTensors result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.emplace_back(parameters[i].first, values[i]);
  }
  return result;
}

void restore_moments(const NamedTensors& parameters, std::vector<at::Tensor>& moments, const NamedTensors& saved) {
  const std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = by_name.find(parameters[i].first);
    if (found == by_name.end() || found->second.sizes() != moments[i].sizes()) {
      throw CheckpointError(
          fmt::format("the saved optimizer state has no moments for {} of the model's shape", parameters[i].first));
    }
    moments[i].copy_(found->second);
  }
}

}  // namespace translate

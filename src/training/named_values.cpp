#include "translate/training/named_values.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <map>

#include "translate/core/error.h"

namespace translate {

NamedTensors named_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values) {
  NamedTensors result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.emplace_back(parameters[i].first, values[i]);
  }
  return result;
}

void restore_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values, const NamedTensors& saved,
                    std::string_view lack) {
  const at::NoGradGuard no_grad;
  const std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = by_name.find(parameters[i].first);
    if (found == by_name.end() || found->second.sizes() != values[i].sizes()) {
      throw CheckpointError(fmt::format("{} for {} of the model's shape", lack, parameters[i].first));
    }
    values[i].copy_(found->second);
  }
}

}  // namespace translate

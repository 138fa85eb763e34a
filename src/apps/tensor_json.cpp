#include "translate/apps/tensor_json.h"

#include <ATen/ATen.h>

#include <cmath>

namespace translate {
namespace {

nlohmann::ordered_json nested(const double*& next, at::IntArrayRef shape) {
  if (shape.empty()) {
    const double value = *next++;
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  }
  auto list = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < shape.front(); ++i) {
    list.push_back(nested(next, shape.slice(1)));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json tensor_json(const at::Tensor& value, std::optional<int> decimals) {
  auto values = value.to(at::kCPU, at::kDouble).contiguous();
  if (decimals) {
    const auto scale = std::pow(10.0, *decimals);
    values = (values * scale).round() / scale;
  }
  const auto* next = values.const_data_ptr<double>();
  return nested(next, values.sizes());
}

}  // namespace translate

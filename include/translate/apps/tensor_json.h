#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace translate {

/// A tensor of numbers as nested lists, rounded to `decimals` where given; what is not finite becomes null, as JSON has
/// no other word for it.
[[nodiscard]] nlohmann::ordered_json tensor_json(const at::Tensor& value, std::optional<int> decimals = std::nullopt);

}  // namespace translate

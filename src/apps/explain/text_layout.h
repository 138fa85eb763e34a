#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_width.h"

namespace translate {

/// A tensor of numbers as nested lists, rounded to `decimals` where given; what is not finite becomes null, as JSON has
/// no other word for it.
[[nodiscard]] nlohmann::ordered_json tensor_json(const at::Tensor& value, std::optional<int> decimals = std::nullopt);

constexpr std::size_t kTerminalWidth = 80;  ///< columns that text for people keeps to

/// The text in lines of 80 columns, broken between words, each with its newline; control characters become spaces.
/// Nothing for no text.
[[nodiscard]] std::string wrapped(std::string_view text);

/// "(1, 4, 5, 64)".
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// A number in seven columns or fewer: "-0.123", "12.500", "1.2e+06", "-inf".
[[nodiscard]] std::string number_text(double value);

/// Columns of subwords over their ids, numbered from 0, in as many lines as it takes; each line indented by two spaces.
[[nodiscard]] std::string subword_table(std::span<const std::string> subwords, std::span<const std::int64_t> ids);

/// A boolean mask (rows, columns) drawn with a mark where it is true; the first 32 rows and columns of a larger one.
[[nodiscard]] std::string mask_drawing(const at::Tensor& mask);

/// A matrix (rows, columns) of weights in percent under the numbers of its columns, each row behind its number and
/// label; the columns in several blocks where one line cannot hold them. `labels` may be empty.
[[nodiscard]] std::string weight_table(const at::Tensor& weights, std::span<const std::string> labels);

}  // namespace translate

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/terminal.h"

namespace translate::tools {

/// Returns a tensor of numbers as nested lists, rounded to `decimals` if given. Values that are not finite become null,
/// because JSON has no other word for them.
[[nodiscard]] nlohmann::ordered_json tensor_json(const at::Tensor& value, std::optional<int> decimals = std::nullopt);

constexpr std::size_t kTerminalWidth = 80;  ///< width of text for people, in columns

/// Wraps the text between words into lines of 80 columns, each with its newline; control characters become spaces.
/// Returns nothing for an empty text.
[[nodiscard]] std::string wrapped(std::string_view text);

/// Returns a shape as "(1, 4, 5, 64)".
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// Returns a number in at most seven columns: "-0.123", "12.500", "1.2e+06", "-inf".
[[nodiscard]] std::string number_text(double value);

/// Returns columns of subwords above their ids, numbered from 0, in as many lines as needed, each indented by two
/// spaces.
[[nodiscard]] std::string subword_table(std::span<const std::string> subwords, std::span<const std::int64_t> ids);

/// Draws a boolean mask (rows, columns) with a mark where it is true; of a larger mask, the first 32 rows and columns.
[[nodiscard]] std::string mask_drawing(const at::Tensor& mask);

/// Returns a matrix (rows, columns) of weights in percent under the numbers of its columns, each row after its number
/// and label. The columns are in several blocks if one line cannot hold them. `labels` may be empty.
[[nodiscard]] std::string weight_table(const at::Tensor& weights, std::span<const std::string> labels);

}  // namespace translate::tools

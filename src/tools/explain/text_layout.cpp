#include "explain/text_layout.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/utf8.h"

namespace translate::tools {

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

std::string wrapped(std::string_view text) {
  std::string lines;
  for (const std::string& line : wrap(text, kTerminalWidth)) {
    lines += line + "\n";
  }
  return lines;
}

std::string shape_text(std::span<const std::int64_t> shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::string number_text(double value) {
  if (!std::isfinite(value)) {
    return fmt::format("{}", value);
  }
  return std::abs(value) < 1000.0 ? fmt::format("{:.3f}", value) : fmt::format("{:.1e}", value);
}

std::string subword_table(std::span<const std::string> subwords, std::span<const std::int64_t> ids) {
  std::string table;
  std::string numbers;
  std::string names;
  std::string values;
  const auto flush = [&] {
    table += fmt::format("  position{}\n  subword {}\n  id      {}\n", numbers, names, values);
    numbers.clear();
    names.clear();
    values.clear();
  };
  constexpr std::size_t kLabel = 10;
  std::size_t used = kLabel;
  for (std::size_t i = 0; i < subwords.size(); ++i) {
    const auto number = std::to_string(i);
    const auto id = std::to_string(ids[i]);
    const auto width =
        std::min(std::max({display_width(subwords[i]), id.size(), number.size()}), kTerminalWidth / 2) + 2;
    if (used + width > kTerminalWidth) {
      flush();
      used = kLabel;
    }
    used += width;
    numbers += pad_left(number, width);
    names += pad_left(subwords[i], width);
    values += pad_left(id, width);
  }
  flush();
  return table;
}

std::string mask_drawing(const at::Tensor& mask) {
  constexpr std::int64_t kDrawn = 32;
  const auto rows = std::min(mask.size(0), kDrawn);
  const auto columns = std::min(mask.size(1), kDrawn);
  const auto drawn = mask.to(at::kCPU, at::kBool).contiguous();
  std::string drawing;
  for (std::int64_t row = 0; row < rows; ++row) {
    drawing += "   ";
    for (std::int64_t column = 0; column < columns; ++column) {
      drawing += drawn[row][column].item<bool>() ? " ■" : " ·";
    }
    drawing += '\n';
  }
  if (rows < mask.size(0) || columns < mask.size(1)) {
    drawing += fmt::format("    (the first {} x {} of {} x {})\n", rows, columns, mask.size(0), mask.size(1));
  }
  return drawing;
}

std::string weight_table(const at::Tensor& weights, std::span<const std::string> labels) {
  constexpr std::size_t kLabel = 18;
  constexpr std::size_t kCell = 4;
  constexpr auto kColumns = static_cast<std::int64_t>((kTerminalWidth - kLabel) / kCell);
  const auto percent = (weights.to(at::kCPU, at::kDouble) * 100.0).round().to(at::kLong).contiguous();
  std::string table;
  for (std::int64_t begin = 0; begin < weights.size(1); begin += kColumns) {
    const auto end = std::min(begin + kColumns, weights.size(1));
    table += pad_right("  %", kLabel);
    for (auto column = begin; column < end; ++column) {
      table += pad_left(std::to_string(column), kCell);
    }
    table += '\n';
    for (std::int64_t row = 0; row < weights.size(0); ++row) {
      const auto label = labels.empty() ? std::string() : labels[static_cast<std::size_t>(row)];
      table += pad_right(fmt::format("  {:>3} {}", row, label), kLabel);
      for (auto column = begin; column < end; ++column) {
        table += pad_left(std::to_string(percent[row][column].item<std::int64_t>()), kCell);
      }
      table += '\n';
    }
  }
  return table;
}

}  // namespace translate::tools

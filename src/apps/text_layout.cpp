#include "translate/apps/text_layout.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "translate/core/utf8.h"

namespace translate {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// Blocks of East Asian wide characters and of emoji (Unicode, annex 11), without their few narrow exceptions.
constexpr std::array<CharacterRange, 11> kWide = {{{0x1100, 0x115F},
                                                   {0x2E80, 0x303E},
                                                   {0x3041, 0xA4CF},
                                                   {0xA960, 0xA97F},
                                                   {0xAC00, 0xD7A3},
                                                   {0xF900, 0xFAFF},
                                                   {0xFE30, 0xFE6F},
                                                   {0xFF00, 0xFF60},
                                                   {0xFFE0, 0xFFE6},
                                                   {0x1F300, 0x1FAFF},
                                                   {0x20000, 0x3FFFD}}};
constexpr std::array<CharacterRange, 5> kCombining = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};

bool lies_in(char32_t character, std::span<const CharacterRange> ranges) {
  return std::ranges::any_of(
      ranges, [character](const CharacterRange& r) { return character >= r.first && character <= r.last; });
}

std::size_t width_of(char32_t character) {
  if (lies_in(character, kCombining)) {
    return 0;
  }
  return lies_in(character, kWide) ? 2 : 1;
}

/// The text, or its beginning and "…" where it is wider than `width`.
std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  std::u32string kept;
  std::size_t used = 1;  // the ellipsis
  for (const char32_t character : decode_utf8(text)) {
    used += width_of(character);
    if (used > width) {
      break;
    }
    kept.push_back(character);
  }
  return encode_utf8(kept) + "…";
}

std::string spaces(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ');
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char32_t character : decode_utf8(text)) {
    width += width_of(character);
  }
  return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const auto fitted = fit(text, width);
  return fitted + spaces(fitted, width);
}

std::string pad_left(std::string_view text, std::size_t width) {
  const auto fitted = fit(text, width);
  return spaces(fitted, width) + fitted;
}

std::string wrapped(std::string_view text) {
  std::string lines;
  std::string line;
  std::string word;
  const auto end_word = [&] {
    if (!line.empty() && display_width(line) + 1 + display_width(word) > kTerminalWidth) {
      lines += line + "\n";
      line.clear();
    }
    if (!word.empty()) {
      line += (line.empty() ? "" : " ") + word;
      word.clear();
    }
  };
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code <= 0x20 || code == 0x7F) {
      end_word();
    } else {
      word += byte;
    }
  }
  end_word();
  return line.empty() ? lines : lines + line + "\n";
}

std::string shape_text(std::span<const std::int64_t> shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::string number_text(double value) {
  if (!std::isfinite(value)) {
    return fmt::format("{}", value);
  }
  return std::abs(value) < 1000.0 ? fmt::format("{:.3f}", value) : fmt::format("{:.1e}", value);
}

std::string piece_table(std::span<const std::string> pieces, std::span<const std::int64_t> ids) {
  std::string table;
  std::string numbers;
  std::string names;
  std::string values;
  const auto flush = [&] {
    table += fmt::format("  position{}\n  piece   {}\n  id      {}\n", numbers, names, values);
    numbers.clear();
    names.clear();
    values.clear();
  };
  constexpr std::size_t kLabel = 10;
  std::size_t used = kLabel;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto number = std::to_string(i);
    const auto id = std::to_string(ids[i]);
    const auto width = std::min(std::max({display_width(pieces[i]), id.size(), number.size()}), kTerminalWidth / 2) + 2;
    if (used + width > kTerminalWidth) {
      flush();
      used = kLabel;
    }
    used += width;
    numbers += pad_left(number, width);
    names += pad_left(pieces[i], width);
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

}  // namespace translate

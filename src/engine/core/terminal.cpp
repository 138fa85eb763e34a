#include "core/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "core/utf8.h"

namespace translate {

namespace {

/// Clamps to a non-negative value, small enough to be converted even if it is infinite.
double clamped(double seconds) {
  constexpr double kLongest = 1e12;
  return seconds > 0 ? std::min(seconds, kLongest) : 0;
}

}  // namespace

std::string format_duration(double seconds) {
  const double span = clamped(seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(span));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  const std::int64_t minutes = std::llround(span / 60);
  if (minutes < 100 * 60) {
    return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  }
  const std::int64_t hours = std::llround(span / 3600);
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string format_clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(clamped(seconds)));
  if (whole < 3600) {
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
  }
  if (whole < 100 * 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

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

/// The text, or its beginning and "…" if it is wider than `width`.
std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  return cut_to_width(text, std::max<std::size_t>(width, 1) - 1) + "…";
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

std::string cut_to_width(std::string_view text, std::size_t width) {
  std::u32string kept;
  std::size_t used = 0;
  for (const char32_t character : decode_utf8(text)) {
    used += width_of(character);
    if (used > width) {
      break;
    }
    kept.push_back(character);
  }
  return encode_utf8(kept);
}

namespace {

/// Breaks one line as break_lines does.
std::string break_line(std::string_view text, std::size_t width, std::size_t indent) {
  std::u32string broken;
  std::size_t column = 0;
  std::size_t space = 0;  // the last one in this row behind a word, where the line can be broken; 0: there is none
  bool has_word = false;  // in this row
  for (const char32_t character : decode_utf8(text)) {
    broken.push_back(character);
    column += width_of(character);
    if (character == U' ') {
      if (has_word) {
        space = broken.size() - 1;
      }
      continue;
    }
    has_word = true;
    if (column <= width || space == 0) {
      continue;
    }
    const std::u32string rest = broken.substr(space + 1);
    broken.resize(broken.find_last_not_of(U' ', space) + 1);
    broken += U'\n' + std::u32string(indent, U' ') + rest;
    column = indent;
    for (const char32_t moved : rest) {
      column += width_of(moved);
    }
    space = 0;
  }
  return encode_utf8(broken);
}

}  // namespace

std::string break_lines(std::string_view text, std::size_t width, std::size_t indent) {
  std::string broken;
  while (true) {
    const std::size_t end = text.find('\n');
    broken += break_line(text.substr(0, end), width, indent);
    if (end == std::string_view::npos) {
      return broken;
    }
    broken += '\n';
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) {
      return;
    }
    if (lines.empty() || display_width(lines.back()) + 1 + display_width(word) > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
    word.clear();
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
  return lines;
}

namespace {

bool term_is(std::string_view name) {
  const char* term = std::getenv("TERM");
  return term != nullptr && term == name;
}

}  // namespace

bool is_terminal(int file) { return ::isatty(file) == 1; }

bool is_drawing_terminal(int file) { return is_terminal(file) && !term_is("dumb"); }

std::size_t terminal_columns(int file) {
  winsize size = {};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

std::string fit_window(const std::string& text, int file) {
  constexpr std::size_t kIndent = 4;
  return is_drawing_terminal(file) ? break_lines(text, terminal_columns(file), kIndent) : text;
}

bool terminal_rewraps() {
  const bool in_screen = std::getenv("STY") != nullptr && std::getenv("TMUX") == nullptr;
  return std::getenv("XTERM_VERSION") == nullptr && !in_screen && !term_is("linux");
}

namespace {

constexpr std::size_t kWidestBar = 30;

std::string bar_of(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
}

/// An arrangement of a line's parts; `fit` tries one after the other.
class Arrangement {
 public:
  Arrangement(const ProgressLine& line, std::size_t columns)
      : line_(line), columns_(columns), forms_(line.fields.size(), 0), shown_(line.fields.size()) {}

  /// Uses the `level`-th form of a field, or its last one.
  void shorten(std::size_t field, std::size_t level) {
    forms_[field] = std::min(level, line_.fields[field].size() - 1);
  }

  /// Leaves out all fields but the first `count`.
  void show(std::size_t count) { shown_ = count; }

  /// Returns the line, with a bar of at least `narrowest` columns (0: without); nothing if it does not fit.
  [[nodiscard]] std::optional<std::string> text(std::string_view separator, std::size_t narrowest) const {
    const auto rest = join(separator, "");
    const std::size_t taken = display_width(rest);
    if (!line_.share || narrowest == 0) {
      return taken <= columns_ ? std::optional(rest) : std::nullopt;
    }
    const std::size_t ends = 2 + (rest.empty() ? 0 : separator.size());
    if (taken + ends + narrowest > columns_) {
      return std::nullopt;
    }
    return join(separator, bar_of(share(), std::min(columns_ - taken - ends, kWidestBar)));
  }

 private:
  [[nodiscard]] double share() const { return std::clamp(*line_.share, 0.0, 1.0); }

  [[nodiscard]] std::string join(std::string_view separator, const std::string& bar) const {
    std::string text = line_.label;
    const auto add = [&](std::string_view part) {
      if (part.empty()) {
        return;
      }
      if (!text.empty()) {
        text += separator;
      }
      text += part;
    };
    add(bar);
    if (line_.share) {
      add(fmt::format("{}%", static_cast<int>(100.0 * share())));
    }
    for (std::size_t i = 0; i < shown_; ++i) {
      add(line_.fields[i][forms_[i]]);
    }
    return text;
  }

  const ProgressLine& line_;
  std::size_t columns_;
  std::vector<std::size_t> forms_;
  std::size_t shown_;
};

std::size_t most_forms(const ProgressLine& line) {
  std::size_t most = 1;
  for (const ProgressField& field : line.fields) {
    most = std::max(most, field.size());
  }
  return most;
}

}  // namespace

std::string fit(const ProgressLine& line, std::size_t columns) {
  constexpr std::size_t kUsualBar = 10;
  constexpr std::size_t kNarrowBar = 6;
  constexpr std::size_t kNarrowestBar = 4;
  const std::size_t fields = line.fields.size();
  Arrangement arrangement(line, columns);
  if (auto text = arrangement.text("  ", kUsualBar)) {
    return *text;
  }
  for (std::size_t level = 1; level < most_forms(line); ++level) {
    for (std::size_t field = fields; field-- > 0;) {
      arrangement.shorten(field, level);
      if (auto text = arrangement.text("  ", kUsualBar)) {
        return *text;
      }
    }
    if (auto text = arrangement.text(" ", kNarrowBar)) {
      return *text;
    }
  }
  for (const std::size_t bar : {kNarrowestBar, std::size_t{0}}) {
    if (auto text = arrangement.text(" ", bar)) {
      return *text;
    }
  }
  for (std::size_t count = fields; count-- > 1;) {
    arrangement.show(count);
    if (auto text = arrangement.text(" ", 0)) {
      return *text;
    }
  }
  ProgressLine shortest = line;
  if (line.share) {
    shortest.fields.clear();
  }
  const auto text = Arrangement(shortest, std::string::npos).text(" ", 0);
  return cut_to_width(*text, columns);
}

std::string shortened(const ProgressLine& line, std::size_t columns) {
  Arrangement arrangement(line, columns);
  Arrangement shortest(line, std::string::npos);
  for (std::size_t level = 1; level < most_forms(line); ++level) {
    for (std::size_t field = line.fields.size(); field-- > 0;) {
      if (auto text = arrangement.text("  ", 0)) {
        return *text;
      }
      arrangement.shorten(field, level);
      shortest.shorten(field, level);
    }
  }
  return *shortest.text("  ", 0);
}

std::string brief_count(double count) {
  if (count < 9999.5) {
    return fmt::format("{:.0f}", count);
  }
  if (count < 99950) {
    return fmt::format("{:.1f}k", count / 1e3);
  }
  if (count < 999500) {
    return fmt::format("{:.0f}k", count / 1e3);
  }
  return fmt::format("{:.1f}M", count / 1e6);
}

}  // namespace translate

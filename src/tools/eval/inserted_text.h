#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace translate::tools {

/// A text that a translation keeps as it is, put into a source.
struct InsertedText {
  std::string text;
  std::string source;        ///< with the text in it
  bool is_in_front = false;  ///< of all other words; otherwise between or behind them
};

/// Puts a number, a URL, an e-mail address or emoji (noise_segment) before or behind a source. A function of the source
/// and its number in a text.
[[nodiscard]] InsertedText with_noise_beside(const std::string& source, std::size_t number);

/// Puts a placeholder, such as `{name}`, `%1$d` or `${x}`, between two words of a source, or behind its only one. A
/// function of the source and its number in a text.
[[nodiscard]] InsertedText with_placeholder_inside(const std::string& source, std::size_t number);

/// Returns a line with the text at the same end as the source has it.
[[nodiscard]] std::string with_same_text(const InsertedText& inserted, const std::string& line);

/// Returns a line without the first occurrence of the text, and without the space that it leaves.
[[nodiscard]] std::string without_text(const InsertedText& inserted, const std::string& line);

/// True if a translation has the text as often as the source.
[[nodiscard]] bool is_kept(const InsertedText& inserted, std::string_view translation);

}  // namespace translate::tools

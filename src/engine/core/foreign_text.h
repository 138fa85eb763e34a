#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace translate {

// Text of others (of files, requests, archives) in messages, logs and cards: nothing in it acts on a terminal, ends a
// line or fills the screen.

/// Bytes of a foreign text that a message shows, at most.
inline constexpr std::size_t kLongestShown = 100;

/// Returns the text with escapes in place of control characters, line and paragraph separators, characters that change
/// the direction of writing, and bytes that are not UTF-8: `\x1b`, `\u202e`.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for a whole message, whose line feeds and tabs stay.
[[nodiscard]] std::string printable_message(std::string_view message);

/// The text as printable() gives it; of a text of more than `most` bytes its beginning, and its size:
/// "aaaa... (10000000 bytes)".
[[nodiscard]] std::string shown(std::string_view text, std::size_t most = kLongestShown);

}  // namespace translate

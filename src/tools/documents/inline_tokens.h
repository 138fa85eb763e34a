#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/decoded_string.h"
#include "documents/text_parts.h"

namespace translate::tools {

enum class TokenKind {
  kText,   ///< text to translate; it neither begins nor ends with white space
  kSpace,  ///< white space between other tokens
  kOpen,   ///< the beginning of an element, such as <b>
  kClose,  ///< the end of one
  kAlone,  ///< something without content, such as <br/>
  kKept,   ///< text that is not translated
  kBlock   ///< the beginning or the end of a text of its own
};

/// A part of a text with markup inside.
struct InlineToken {
  TokenKind kind;
  std::string name = {};      ///< of an element: the end of one with the same name closes it
  std::string bytes = {};     ///< as in the file; of a text or of white space, what it means
  std::string original = {};  ///< of a text or of white space: as in the file
};

/// A longer tag inside of a string or of Markdown is text, so that the time to find the ends of tags is linear.
inline constexpr std::size_t kLongestTag = 4096;

/// More elements inside one another than this divide a text.
inline constexpr std::size_t kMostNested = 100;

/// Adds tokens without a kBlock to `parts`: as a text whose marks are the elements of tokens that belong together, and
/// the places of what stands alone, of ends without beginnings, of beginnings without ends, and of elements without
/// text to translate. Everything stays, byte for byte; white space at the inner edge of the first and the last tag
/// becomes a part of it. Without a kText all bytes are kept; with more than kMostNested elements inside one another,
/// each kText becomes a text of its own. `writing`: escape, finish and line_prefix for the text.
void add_inline_text(std::span<InlineToken> tokens, const TextWriting& writing, TextParts& parts);

/// Adds the bytes [begin, end) of a string as tokens: text, and the white space around it.
void add_string_tokens(const DecodedString& string, std::size_t begin, std::size_t end,
                       std::vector<InlineToken>& tokens);

/// Adds a string to `parts` line by line; white space around lines stays, and tags inside of a line, such as <b>,
/// become marks.
void add_string(const DecodedString& string, const TextWriting& writing, TextParts& parts);

}  // namespace translate::tools

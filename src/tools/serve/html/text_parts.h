#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "segments/mark_projection.h"
#include "serve/html/markup.h"

namespace translate::tools {

/// The positions of white space inside a text that is more than one space, such as line ends, so that a translation can
/// have it in the same places.
struct TextSpacing {
  /// White space after a word.
  struct Gap {
    std::size_t words;      ///< words of the text before it
    std::size_t sentences;  ///< sentences that have ended before it; 0 if the word before it does not end one
    std::string space;      ///< "\n  "
  };

  std::vector<Gap> gaps;
  std::size_t words = 0;
  std::size_t sentences = 0;  ///< words that end a sentence
};

/// Returns `text`, which neither begins nor ends with white space, with one space between words, or with none where a
/// line of Chinese or Japanese goes on; fills in `spacing`.
[[nodiscard]] std::string take_spacing(std::string_view text, TextSpacing& spacing);

/// Returns a translation with the white space of its source: after the same sentence if both have equally many,
/// otherwise after the same share of the words. The result contains all of it, in its order.
[[nodiscard]] std::string apply_spacing(std::string_view translation, const TextSpacing& spacing);

enum class TextFormat { kText, kHtml };

/// Tags inside of a text, as marks of it and what stands at their ends.
struct InlineMarks {
  MarkTree tree;
  std::vector<MarkText> texts;  ///< of each mark
};

/// A translation, and which of its words come from which of the source.
struct AlignedText {
  std::string text;
  Alignment alignment;
};

/// A text split into parts that are translated one by one, and the text between them, which stays as it is.
struct TextParts {
  std::vector<std::string> texts;
  std::vector<std::string> between;       ///< before, between and after the texts: one more than there are texts
  std::vector<TextSpacing> spacing = {};  ///< of HTML: the white space inside each text
  std::vector<InlineMarks> marks = {};    ///< of HTML: the tags inside each text; none at all, or one for each text

  /// Whether the translations must be aligned.
  [[nodiscard]] bool has_marks() const;
};

/// Splits a plain text into its lines. Line ends ("\n" or "\r\n") and blank lines stay.
[[nodiscard]] TextParts split_plain_text(std::string_view text);

/// HTML whose tree is too large for its length.
class HtmlTooDeep : public DataError {
 public:
  HtmlTooDeep() : DataError("the HTML cannot be parsed: too many elements are open at once") {}
};

constexpr std::size_t kHtmlMemory = 16UL * 1024 * 1024;  ///< bytes

/// Splits HTML into the texts between tags, with character references decoded and one space between words. Everything
/// else stays as it is, byte for byte: tags, attributes, comments, white space around and (see TextSpacing) inside the
/// texts, and untranslatable content: of script, style, iframe, math, and of code, pre, kbd, samp, var and elements
/// with translate="no", except inside translate="yes". A sentence that tags divide is translated part by part. Throws
/// HtmlTooDeep if the tree takes more memory than kHtmlMemory and a hundred times the text.
[[nodiscard]] TextParts split_html(std::string_view html);

/// Puts the translations in the places of `parts.texts` (as many); in HTML with the source's white space and tags (see
/// project_marks), and with &, < and > as character references.
[[nodiscard]] std::string join_parts(const TextParts& parts, std::span<const AlignedText> translations,
                                     TextFormat format);

}  // namespace translate::tools

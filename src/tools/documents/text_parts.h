#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "segments/document.h"
#include "segments/mark_projection.h"

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

/// Whether a text ends with the end of a sentence, such as a full stop, and with what closes behind it.
[[nodiscard]] bool ends_sentence(std::string_view text);

/// Returns `text`, which neither begins nor ends with white space, with one space between words, or with none where a
/// line of Chinese or Japanese goes on; fills in `spacing`.
[[nodiscard]] std::string take_spacing(std::string_view text, TextSpacing& spacing);

/// Returns a translation with the white space of its source: after the same sentence if both have equally many,
/// otherwise after the same share of the words. The result contains all of it, in its order.
[[nodiscard]] std::string apply_spacing(std::string_view translation, const TextSpacing& spacing);

/// Tags inside of a text, as marks of it and what stands at their ends.
struct InlineMarks {
  MarkTree tree;
  std::vector<MarkText> texts;  ///< of each mark
};

/// How the translation of a text is written into its file.
struct TextWriting {
  /// The bytes of the text in the file, which stay if its translation is the text itself.
  std::string original = {};
  /// Converts text between marks to what stands for it in the file; null: nothing to convert.
  std::string (*escape)(std::string_view) = nullptr;
  /// Converts the result as a whole, for instance puts it in quotes where it needs them; null: nothing to convert.
  std::string (*finish)(std::string) = nullptr;
  /// Stands behind each line end inside the translation, such as "> " in a quotation.
  std::string line_prefix = {};
  /// A blank line would part the text in two: line ends of the source that come together in the translation are one.
  bool has_no_blank_lines = false;
};

/// A file or text split into parts that are translated one by one, and the text between them, which stays as it is.
struct TextParts {
  std::vector<std::string> texts;
  std::vector<std::string> between;       ///< before, between and after the texts: one more than there are texts
  std::vector<TextSpacing> spacing = {};  ///< the white space inside each text; none at all, or one for each text
  std::vector<InlineMarks> marks = {};    ///< the tags inside each text; none at all, or one for each text
  std::vector<TextWriting> writing = {};  ///< none at all (translations are written as they are), or one for each text

  /// Adds bytes that stay as they are, behind everything that was added so far.
  void keep(std::string_view bytes) { between.back() += bytes; }

  /// The ranges of each text that have tags around them.
  [[nodiscard]] std::vector<std::vector<TextMark>> marked_ranges() const;
};

/// Splits a plain text into its lines. Line ends ("\n" or "\r\n") and blank lines stay.
[[nodiscard]] TextParts split_plain_text(std::string_view text);

/// Puts the translations in the places of `parts.texts` (as many): with the white space and the marks of the source
/// (see project_marks), escaped as the file asks for. A text whose translation is the text itself is written as it was.
[[nodiscard]] std::string join_parts(const TextParts& parts, std::span<const AlignedText> translations);

}  // namespace translate::tools

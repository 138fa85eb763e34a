#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/text_edits.h"
#include "segments/text_marks.h"
#include "text/alignment_point.h"

namespace translate {

/// Marks of a text, which contain one another or lie apart, each before those that it contains.
struct MarkTree {
  static constexpr std::int64_t kText = -1;

  std::vector<TextMark> marks;
  std::vector<std::int64_t> parents;  ///< of each mark: the innermost one around it, or kText
};

/// Returns where the marks of a source stand in its translation, by the alignment of their words. The marks of the
/// result contain one another as those of the source do, and siblings lie apart, but in the order of the translation.
/// A mark with words covers at least one word; where the translation has fewer words than there are siblings, some of
/// them cover the same. A mark covers whole words, also if the source's does not, without the punctuation around them
/// unless the source's has it, and with the spaces at its edges that the source's has. It is the contiguous range
/// with the highest F1 score against the words that are aligned to those in the mark. A mark around all words of what
/// contains it stays around all of them. Empty marks stay behind the word in front of them. Both texts are valid UTF-8.
[[nodiscard]] MarkTree project_marks(std::string_view source, const MarkTree& marks, std::string_view translation,
                                     std::span<const AlignmentPoint> alignment);

/// What stands at the two ends of a mark, such as the tags of an element. An empty mark has only `before`.
struct MarkText {
  std::string before;
  std::string after;
};

/// Returns the insertions that put the marks' texts into a text, in their order: always balanced.
[[nodiscard]] std::vector<TextEdit> mark_insertions(const MarkTree& marks, std::span<const MarkText> texts);

/// Returns a text with the marks' texts in it, always balanced. `escape` converts the text between them, for instance
/// to HTML.
[[nodiscard]] std::string insert_marks(std::string_view text, const MarkTree& marks, std::span<const MarkText> texts,
                                       std::string (*escape)(std::string_view));

}  // namespace translate

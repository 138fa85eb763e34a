#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/character_coverage.h"
#include "segments/kept_terms.h"
#include "segments/mark_projection.h"

namespace translate {

/// A span of a segment that its translation keeps as it is, once.
struct KeptSpan {
  enum class Kind {
    kName,    ///< has a place in the sentence as a noun has: a placeholder, a URL, a term
    kSymbol,  ///< stands beside the sentence: emoji, a tag without its counterpart
  };
  TextMark range;
  Kind kind = Kind::kName;
  std::string text = {};  ///< of a name: what stands in the translation in its place; empty: the name itself

  bool operator==(const KeptSpan&) const = default;
};

/// A pair of tags inside of plain text, by their bytes.
struct TagPair {
  TextMark opening;
  TextMark closing;

  bool operator==(const TagPair&) const = default;
};

/// What of a segment its translation keeps as it is.
struct KeptText {
  std::vector<KeptSpan> spans;  ///< rising, apart, and apart from the tags
  std::vector<TagPair> pairs;   ///< by their opening tags; they contain one another or lie apart
};

/// Finds what of a segment (valid UTF-8) its translation keeps as it is: placeholders (see placeholder_length), the
/// given terms (null: none), URLs and other technical names (see is_technical_name), #hashtags, @names, words with
/// letters that the vocabulary lacks, symbols that it lacks, and tags. Names that touch, with no letter between them,
/// are one span, and a name inside a word is the whole word.
[[nodiscard]] KeptText find_kept_text(std::string_view segment, const CharacterCoverage& coverage,
                                      std::span<const KeptTerms* const> terms = {});

}  // namespace translate

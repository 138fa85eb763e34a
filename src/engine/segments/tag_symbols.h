#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/text_marks.h"
#include "text/alignment_point.h"

namespace translate {

/// The symbols for tags of a vocabulary that has them (data.modifiers.tags): `<0>` to `<4>` before the words inside of
/// a tag, `</0>` to `</4>` behind them.
[[nodiscard]] std::vector<std::string> tag_symbols();

/// How many tags of a text have symbols of their own.
inline constexpr std::size_t kMostTags = 5;

/// Words of a text (see words_of) that a tag is around: [first, last].
struct TaggedWords {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] bool contains(std::int64_t word) const { return first <= word && word <= last; }
  [[nodiscard]] bool contains(const TaggedWords& other) const { return first <= other.first && other.last <= last; }
  [[nodiscard]] bool is_apart_from(const TaggedWords& other) const { return last < other.first || other.last < first; }

  bool operator==(const TaggedWords&) const = default;
};

/// Returns the words that a mark of a text (valid UTF-8) covers, at least in part; nothing if it has no text.
[[nodiscard]] std::optional<TaggedWords> tagged_words(std::string_view text, const TextMark& mark);

/// Returns a text with the symbols of each tag around its words, `<0>` around those of the first one, but inside of the
/// punctuation beside them. At most kMostTags tags, which contain one another or lie apart; of two around the same
/// words, the first is outside. White space separates the same words as before.
[[nodiscard]] std::string with_tag_symbols(std::string_view text, std::span<const TaggedWords> tags);

/// Returns whether a tag can have symbols beside others of a text with `words` words: there are fewer than kMostTags,
/// it is around a part of the words, and contains each of the others, lies in it or apart from it.
[[nodiscard]] bool can_have_symbols(const TaggedWords& tag, std::span<const TaggedWords> others, std::int64_t words);

/// Returns the tags, in their order, that can have symbols. Of two that cross, the later one is left out.
[[nodiscard]] std::vector<TaggedWords> tags_with_symbols(std::span<const TaggedWords> tags, std::int64_t words);

/// A translation without its symbols for tags.
struct UntaggedTranslation {
  std::string text;
  std::vector<std::int64_t> words;  ///< for each word with the symbols, the one of `text` at its place
  Alignment alignment;              ///< between the words of the source and of `text`
};

/// Takes the symbols out of a translation of with_tag_symbols(source, tags), and lets the alignment follow them: a word
/// between the symbols of a tag is aligned to words of that tag alone, and another word to none of them. Of a tag whose
/// symbols the translation does not have once each, with a word between them, the alignment stays as it is.
[[nodiscard]] UntaggedTranslation without_tag_symbols(std::string_view translation, std::span<const TaggedWords> tags,
                                                      std::span<const AlignmentPoint> alignment);

}  // namespace translate

#pragma once

#include <string>
#include <string_view>

namespace translate {

/// Returns a translation with a final stop where its source has one, and without one where its source has none: models
/// add and leave out the stop as their training text did. Only a stop is concerned (. 。 । ۔ and those of other
/// scripts): question and exclamation marks, colons, ellipses, stops inside of closing quotes, abbreviations and
/// ordinals are left alone, and so are texts of scripts without such marks (Thai, Lao, Tibetan). A stop is added as the
/// script of the translation writes it, after a space if the source has one before its own. Both texts are valid UTF-8.
[[nodiscard]] std::string with_stop_of(std::string_view source, std::string translation);

/// The mark that ends a sentence.
enum class FinalMark { kNone, kStop, kQuestion, kExclamation };

/// Returns the mark that a text (valid UTF-8) ends with: a stop, `?` or `!` in the form of any script. kNone if there
/// is none, or if it may be more than the end of a sentence: an ellipsis, several marks, the end of an abbreviation, a
/// mark inside of closing quotes; and in Spanish, whose questions and exclamations have a mark at their beginning, too.
[[nodiscard]] FinalMark final_mark_of(std::string_view text);

/// Returns a text for which final_mark_of is not kNone with another mark in its place, in the form of its script, and
/// with the space before it that French has before `?` and `!` (`language` is an ISO 639 code); or, for kNone, without
/// its mark and the white space before that.
[[nodiscard]] std::string with_final_mark(std::string_view text, FinalMark mark, const std::string& language = {});

}  // namespace translate

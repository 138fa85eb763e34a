#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// A message of ICU's MessageFormat with plural, select or selectordinal arguments, such as "{n, plural, one {# file}
/// other {# files}} found", as whole sentences to translate: "# file found" and "# files found", and what stands
/// between them in a message that chooses among these.
struct IcuMessage {
  struct Branch {
    std::string frame;     ///< stands in front of the sentence: "{n, plural, one {"
    std::string sentence;  ///< to translate; simple arguments such as {name} stay in it
  };
  std::vector<Branch> branches;  ///< at least one
  std::string end;               ///< stands behind the last sentence: "}}"
};

/// Takes a message apart for a translation into a language (an ISO 639 code): with a branch for each plural category
/// that the language needs, as CLDR says; those that the source lacks repeat its "other". An empty or unknown language
/// has the categories of the source. What stands around an argument becomes part of its branches, because words there
/// may depend on it, too. Nothing if `text` (valid UTF-8) has no such argument, is not a valid message, has more than
/// 200 branches then, has an offset together with an argument in an argument, or a # that is no number beside a plural.
[[nodiscard]] std::optional<IcuMessage> parse_icu_message(std::string_view text, const std::string& target_language);

/// Returns the translation of a sentence as it stands in a message: with an apostrophe doubled where it would begin a
/// quotation.
[[nodiscard]] std::string icu_branch_text(std::string_view translation);

}  // namespace translate

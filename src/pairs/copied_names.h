#pragma once

#include <string>
#include <string_view>

#include "pairs/pair_source.h"

namespace translate {

/// True if the numbers of the two sides do not match: each side has one that the other lacks, or one side has two that
/// the other lacks. Numbers are runs of digits with stops, commas and colons inside, which languages set differently
/// ("1,000.5" is "1.000,5"), or, if they match so, the digits between these (2001-01-25 is 25.1.2001); leading zeros do
/// not count, and 0 to 12, which many write as words, may be missing.
[[nodiscard]] bool have_different_numbers(const SentencePair& pair);

/// True if the two sides do not have the same URLs and e-mail addresses, in any order.
[[nodiscard]] bool have_different_addresses(const SentencePair& pair);

/// True if a text has a tag of HTML, or a character reference such as `&nbsp;`.
[[nodiscard]] bool has_markup(std::string_view text);

/// Returns a text with the most usual character references as what they stand for: `&amp;`, `&lt;`, `&gt;`, `&quot;`,
/// `&apos;`, `&#39;` and `&nbsp;`.
[[nodiscard]] std::string with_usual_references_decoded(std::string_view text);

}  // namespace translate

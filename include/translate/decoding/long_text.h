#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "translate/text/sentence_splitter.h"

namespace translate {

/// Counts what a limit is stated in (pieces of a tokenizer).
using TextLength = std::function<std::int64_t(std::string_view)>;

/// Splits `text` (valid UTF-8) into parts of at most `max_length` each: between sentences, as `splitter` finds them,
/// where that suffices, else between words, else inside a word. The parts, white space between them aside, are the
/// whole text in order; as few as going from left to right makes them (inside a word of many thousand characters, about
/// as few: the length of each part is searched for by halving).
[[nodiscard]] std::vector<std::string> split_long_text(std::string_view text, std::int64_t max_length,
                                                       const SentenceSplitter& splitter, const TextLength& length);

}  // namespace translate

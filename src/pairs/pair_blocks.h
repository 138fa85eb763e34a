#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "pairs/pair_source.h"

namespace translate {

/// A pair of a text.
struct NumberedTextPair {
  SentencePair pair;         ///< without white space at the ends, and without tabs, which separate columns of a table
  std::string place;         ///< PairSource::place(), if it is asked for
  std::uint64_t number = 0;  ///< from 0, in the order of reading
};

/// Whether each_block tells the places of pairs.
enum class TellPlaces { kNo, kYes };

/// Reads a text and calls use(block) for some thousand pairs at a time, in their order. `observe` sees each pair as
/// soon as it is read, with the source, of which it is the last. Throws as the sources and these two do.
void each_block(const OpenPairs& open, TellPlaces places,
                const std::function<void(std::span<NumberedTextPair> block)>& use,
                const std::function<void(const SentencePair& pair, const PairSource& source)>& observe = {});

/// Calls use(pair) for each pair of a block, on all threads.
void each_in_block(std::span<NumberedTextPair> block, const std::function<void(NumberedTextPair& pair)>& use);

/// A text without white space at its ends, with spaces in the place of tabs.
[[nodiscard]] std::string tidied(const std::string& text);

}  // namespace translate

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// The symbols for placeholders of a vocabulary that has them (data.modifiers.placeholders): `{0}` to `{9}`, which have
/// no letter case and look like a placeholder to other programs, too.
[[nodiscard]] std::vector<std::string> placeholder_symbols();

/// The words that stand for names in what a model reads. If both vocabularies have symbols for placeholders, the model
/// was trained to copy these. Otherwise they are numbers, because models copy them, they have no letter case, and they
/// may stand wherever a noun or a value may.
class StandIns {
 public:
  /// Finds the symbols and digits that both vocabularies have.
  StandIns(const Tokenizer& source, const Tokenizer& target);

  /// Returns `count` different stand-ins for names of `text`: symbols, which do not occur in it outside of names, or,
  /// if there are fewer, numbers that do not occur in it, or as many of these as there are.
  [[nodiscard]] std::vector<std::string> choose(std::size_t count, std::string_view text) const;

  /// Returns the ids of the symbols in the target's vocabulary that are not in `text`, what a model reads: its
  /// translation has none of them.
  [[nodiscard]] std::vector<std::int64_t> absent_symbols(std::string_view text) const;

 private:
  std::vector<std::string> symbols_;      ///< all, or none
  std::vector<std::int64_t> target_ids_;  ///< of the symbols
  std::string digits_;
};

/// Returns where a stand-in stands in `text`, a number as a whole number, from `begin` on; npos: nowhere.
[[nodiscard]] std::size_t find_stand_in(std::string_view text, std::string_view stand_in, std::size_t begin = 0);

}  // namespace translate

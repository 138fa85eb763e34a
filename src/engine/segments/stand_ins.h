#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// The words that stand for names in what a model reads: numbers, because models copy them, they have no letter case,
/// and they may stand wherever a noun or a value may.
class StandIns {
 public:
  /// Finds the digits that both vocabularies have.
  StandIns(const Tokenizer& source, const Tokenizer& target);

  /// Returns `count` different numbers that do not occur in `text`, or as many as there are.
  [[nodiscard]] std::vector<std::string> choose(std::size_t count, std::string_view text) const;

 private:
  std::string digits_;
};

/// Returns where `number` stands in `text` as a whole number, from `begin` on; npos: nowhere.
[[nodiscard]] std::size_t find_number(std::string_view text, std::string_view number, std::size_t begin = 0);

}  // namespace translate

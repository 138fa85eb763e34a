#pragma once

#include <cstdint>

namespace translate {

/// The ids of one tokenizer's special pieces. Source and target side have one set each: they need not agree.
struct SpecialTokens {
  std::int64_t unk = 0;  ///< stands for characters that the vocabulary lacks
  std::int64_t sos = 1;  ///< starts a sentence (bos elsewhere)
  std::int64_t eos = 2;  ///< ends a sentence
  std::int64_t pad = 3;  ///< fills a batch's shorter rows

  bool operator==(const SpecialTokens&) const = default;
};

}  // namespace translate

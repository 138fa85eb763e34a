#pragma once

#include <mutex>
#include <unordered_map>

#include "text/tokenizer.h"

namespace translate {

/// Tells which characters a vocabulary has. Thread-safe.
class CharacterCoverage {
 public:
  explicit CharacterCoverage(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}
  CharacterCoverage(const CharacterCoverage&) = delete;
  CharacterCoverage& operator=(const CharacterCoverage&) = delete;

  /// True if a text with this character has a subword for it other than unk and single bytes (byte fallback).
  /// Word-level vocabularies know words, not characters: they have each character that one of their words has.
  [[nodiscard]] bool has(char32_t character) const;

 private:
  [[nodiscard]] bool find(char32_t character) const;

  Tokenizer tokenizer_;
  mutable std::mutex mutex_;  ///< guards the member below
  mutable std::unordered_map<char32_t, bool> known_;
};

}  // namespace translate

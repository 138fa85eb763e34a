#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/letter_case.h"
#include "segments/term_index.h"
#include "segments/text_marks.h"

namespace translate {

/// A term of a source language and the one that its translation must have.
struct GlossaryTerm {
  static constexpr std::size_t kMostBytes = 1000;  ///< of each side

  std::string source;
  std::string target;

  bool operator==(const GlossaryTerm&) const = default;
};

/// Returns why one side of a term ("source", "target") cannot be used, as the next function does.
[[nodiscard]] std::optional<std::string> fault_of(std::string_view text, std::string_view side);

/// Returns why a term cannot be used ("the target term is empty"); nothing if it can: both sides are valid UTF-8
/// without control characters, neither blank nor longer than kMostBytes.
[[nodiscard]] std::optional<std::string> fault_of(const GlossaryTerm& term);

/// Terms that translations must have where a source has theirs. A source term in small letters matches whatever the
/// case of the letters; one with a capital letter only as it is written, or in a text in capitals.
class Glossary {
 public:
  Glossary() = default;

  /// The terms are without fault; white space around them does not count. Of terms with the same source the first one
  /// counts.
  explicit Glossary(std::vector<GlossaryTerm> terms);

  [[nodiscard]] bool is_empty() const { return index_.is_empty(); }

  /// The terms as they were given, but for white space around them.
  [[nodiscard]] const std::vector<GlossaryTerm>& terms() const { return terms_; }

  /// Returns the longest term that `text` (valid UTF-8), which is written in `letter_case`, has at `begin`.
  [[nodiscard]] TermIndex::Match match(std::string_view text, std::size_t begin, LetterCase letter_case) const {
    return index_.match(text, begin, letter_case == LetterCase::kUpper);
  }

 private:
  std::vector<GlossaryTerm> terms_;
  TermIndex index_;
};

/// Any number of glossaries; those in front win where two have a term of the same length. None is null.
using Glossaries = std::vector<std::shared_ptr<const Glossary>>;

/// A term of a glossary that a text has.
struct FoundTerm {
  TextMark range;          ///< in the text
  std::string target;      ///< that the translation must have
  bool is_raised = false;  ///< it begins with a capital letter in the text, but not in the glossary
};

/// Returns the terms of `text` (valid UTF-8), from left to right, the longest at each place; they lie apart.
[[nodiscard]] std::vector<FoundTerm> find_terms(std::string_view text, const Glossaries& glossaries);

}  // namespace translate

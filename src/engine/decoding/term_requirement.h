#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoding/search/required_terms.h"
#include "decoding/search/search.h"
#include "segments/segment_plan.h"
#include "text/tokenizer.h"

namespace translate {

/// Looks at the hypotheses of a sentence that was decoded. Returns true if its search was unconstrained, and one of
/// them lacks a term: then the sentence is to be decoded once more, by a constrained search.
[[nodiscard]] bool needs_constrained_search(Sentence& sentence);

/// Turns terms of glossaries into what a search has to write. Thread-safe. Cheap to copy.
class TermRequirement {
 public:
  /// `target_language`: an ISO 639 code, for capital letters (empty: unknown).
  TermRequirement(Tokenizer source, Tokenizer target, std::string target_language)
      : source_(std::move(source)), target_(std::move(target)), target_language_(std::move(target_language)) {}

  /// Returns the forms of a term: its subwords at the beginning of a word, those behind a mark of punctuation
  /// ("l'eau"), and both with a capital letter, which counts at the beginning of the translation, or anywhere if
  /// `is_raised`. None if the vocabulary lacks some of its characters.
  [[nodiscard]] std::vector<RequiredTerm::Form> forms(const std::string& term, bool is_raised) const;

  /// Sets the sentence's terms, from those that were found in `text`, which the model reads: in capitals if the text
  /// is. Returns the terms that cannot be written.
  [[nodiscard]] std::vector<std::string> apply(const std::vector<PlannedTerm>& terms, std::string_view text,
                                               Sentence& sentence) const;

 private:
  /// What is made when the first term is found.
  struct LazyEdges {
    std::once_flag once;
    std::shared_ptr<const WordEdges> edges;
  };

  [[nodiscard]] std::shared_ptr<const WordEdges> edges() const;

  Tokenizer source_;
  Tokenizer target_;
  std::string target_language_;
  std::shared_ptr<LazyEdges> edges_ = std::make_shared<LazyEdges>();
};

}  // namespace translate

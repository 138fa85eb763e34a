#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// Where words join, of each subword of a target vocabulary.
class WordEdges {
 public:
  WordEdges() = default;
  explicit WordEdges(const Tokenizer& target);

  /// True if a subword continues the word that the one before it ends in: both have letters of a script that separates
  /// words by spaces, and there is no space between them. `before`: -1 at the beginning.
  [[nodiscard]] bool are_one_word(std::int64_t before, std::int64_t subword) const {
    return before >= 0 && at(ends_in_word_, before) && at(continues_word_, subword);
  }

  /// True if a word may begin with a subword: there is a space in front of it, or a mark that stands in front of words
  /// without a space, such as an apostrophe or a bracket.
  [[nodiscard]] bool may_begin_word(std::int64_t before, std::int64_t subword) const {
    return before < 0 || !at(continues_word_, subword) || at(ends_in_opening_mark_, before);
  }

 private:
  [[nodiscard]] static bool at(const std::vector<bool>& of, std::int64_t subword) {
    return static_cast<std::size_t>(subword) < of.size() && of[static_cast<std::size_t>(subword)];
  }

  std::vector<bool> ends_in_word_;
  std::vector<bool> ends_in_opening_mark_;
  std::vector<bool> continues_word_;
};

/// A term that a translation must have.
struct RequiredTerm {
  /// A way to write it.
  struct Form {
    std::vector<std::int64_t> subwords;  ///< at least one
    bool begins_text = false;            ///< counts only at the beginning of the translation

    bool operator==(const Form&) const = default;
  };

  std::string text;               ///< for reports
  std::vector<Form> forms;        ///< each of them will do
  std::int64_t source_begin = 0;  ///< the positions of its source in the encoder input: [source_begin, source_end)
  std::int64_t source_end = 0;
};

class TermProgress;

/// The terms that the translation of a sentence must have, each once and apart from the others: as whole words, in one
/// of its forms.
class RequiredTerms {
 public:
  RequiredTerms(std::vector<RequiredTerm> terms, std::shared_ptr<const WordEdges> edges)
      : terms_(std::move(terms)), edges_(std::move(edges)) {}

  [[nodiscard]] const std::vector<RequiredTerm>& terms() const { return terms_; }

  /// Whether a translation has all of them.
  [[nodiscard]] bool are_in(std::span<const std::int64_t> translation) const;

  /// The sum of the terms' longest forms, in subwords.
  [[nodiscard]] std::int64_t most_subwords() const;

 private:
  friend class TermProgress;

  std::vector<RequiredTerm> terms_;
  std::shared_ptr<const WordEdges> edges_;
};

/// Which of the required terms a growing translation has: a function of its subwords. Where a term could end with the
/// newest subword, but a longer one may go on, both are followed.
class TermProgress {
 public:
  /// That of an empty translation. The terms must outlive it.
  explicit TermProgress(const RequiredTerms& terms) : terms_(&terms), is_met_(terms.terms_.size()) {}

  /// Takes the next subword of the translation into account, which is not eos.
  void add(std::int64_t subword);

  /// The number of terms that the translation has if it ends here.
  [[nodiscard]] std::int64_t met() const { return met_ + (ended_.term >= 0 ? 1 : 0); }
  /// Whether it has all of them.
  [[nodiscard]] bool is_complete() const { return met() == static_cast<std::int64_t>(is_met_.size()); }
  /// Whether the newest subwords begin one of the others.
  [[nodiscard]] bool is_inside_term() const { return !open_.empty(); }
  /// The numbers of the terms that it lacks, rising.
  [[nodiscard]] std::vector<std::int64_t> missing() const;
  /// The fewest subwords with which the translation can get all terms from here.
  [[nodiscard]] std::int64_t subwords_needed() const;

  /// Calls visit(subword, term) for the subwords that go on with a term, or begin one that is missing; a subword may
  /// come several times. `begins`: also those that begin one.
  template <typename Visit>
  void for_next(bool begins, const Visit& visit) const {
    for (const auto& open : open_) {
      visit(form_of(open).subwords[static_cast<std::size_t>(length_ - open.begin)], open.term);
    }
    for (std::int64_t term = 0; begins && term < std::ssize(terms_->terms_); ++term) {
      for (std::size_t form = 0; may_begin(term) && form < term_at(term).forms.size(); ++form) {
        if (const auto first = term_at(term).forms[form].subwords.front();
            can_begin(term_at(term).forms[form], first)) {
          visit(first, term);
        }
      }
    }
  }

 private:
  /// A form of a term from its first subword on.
  struct Place {
    std::int64_t term = -1;
    std::size_t form = 0;
    std::int64_t begin = 0;  ///< subwords before it
  };

  [[nodiscard]] const RequiredTerm& term_at(std::int64_t term) const {
    return terms_->terms_[static_cast<std::size_t>(term)];
  }
  [[nodiscard]] const RequiredTerm::Form& form_of(const Place& place) const {
    return term_at(place.term).forms[place.form];
  }
  [[nodiscard]] bool may_begin(std::int64_t term) const {
    return !is_met_[static_cast<std::size_t>(term)] && ended_.term != term;
  }
  [[nodiscard]] bool can_begin(const RequiredTerm::Form& form, std::int64_t subword) const {
    return form.subwords.front() == subword && terms_->edges_->may_begin_word(newest_, subword) &&
           (!form.begins_text || length_ == 0);
  }
  void go_on(std::int64_t subword);
  void settle();
  void end_longest();

  const RequiredTerms* terms_;
  std::vector<bool> is_met_;
  std::int64_t met_ = 0;       ///< of is_met_
  std::vector<Place> open_;    ///< forms that the newest subwords begin
  Place ended_;                ///< a form that has ended, unless a longer one takes its place
  std::int64_t ended_at_ = 0;  ///< the length then
  std::int64_t length_ = 0;    ///< subwords so far
  std::int64_t newest_ = -1;   ///< the last of them
};

}  // namespace translate

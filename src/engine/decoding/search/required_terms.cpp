#include "decoding/search/required_terms.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "segments/term_index.h"

namespace translate {

namespace {

/// True for marks with which a word may be joined from behind, as in "l'eau" and "(eau".
bool is_opening_mark(char32_t c) {
  constexpr std::u32string_view kOthers = U"'’\"/¿¡";
  constexpr std::uint32_t kOpening = U_GC_PS_MASK | U_GC_PI_MASK | U_GC_PD_MASK;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & kOpening) != 0 || kOthers.find(c) != std::u32string_view::npos;
}

}  // namespace

WordEdges::WordEdges(const Tokenizer& target) {
  for (std::int64_t id = 0; id < target.vocab_size(); ++id) {
    const auto subword = decode_utf8(target.subword(id));
    ends_in_word_.push_back(!subword.empty() && is_of_spaced_word(subword.back()));
    ends_in_opening_mark_.push_back(!subword.empty() && is_opening_mark(subword.back()));
    continues_word_.push_back(!target.is_word_level() && !subword.empty() && is_of_spaced_word(subword.front()));
  }
}

bool RequiredTerms::are_in(std::span<const std::int64_t> translation) const {
  TermProgress progress(*this);
  for (const auto subword : translation) {
    progress.add(subword);
  }
  return progress.is_complete();
}

std::int64_t RequiredTerms::most_subwords() const {
  std::int64_t sum = 0;
  for (const auto& term : terms_) {
    std::int64_t longest = 0;
    for (const auto& form : term.forms) {
      longest = std::max<std::int64_t>(longest, std::ssize(form.subwords));
    }
    sum += longest;
  }
  return sum;
}

void TermProgress::add(std::int64_t subword) {
  if (ended_.term >= 0 && ended_at_ == length_ && terms_->edges_->are_one_word(newest_, subword)) {
    ended_ = {};  // no whole word
  }
  go_on(subword);
  newest_ = subword;
  ++length_;
  end_longest();
}

/// Extends the open forms by a subword, and opens those that begin with it.
void TermProgress::go_on(std::int64_t subword) {
  std::erase_if(open_, [&](const Place& open) {
    return form_of(open).subwords[static_cast<std::size_t>(length_ - open.begin)] != subword;
  });
  // A term that has ended is met for good when no longer one can take its place: then the next occurrence of the same
  // term is another one's.
  settle();
  for (std::int64_t term = 0; term < std::ssize(terms_->terms_); ++term) {
    for (std::size_t form = 0; may_begin(term) && form < term_at(term).forms.size(); ++form) {
      if (can_begin(term_at(term).forms[form], subword)) {
        open_.push_back({.term = term, .form = form, .begin = length_});
      }
    }
  }
}

/// Counts the term that has ended as met, unless a form that began no later is still open.
void TermProgress::settle() {
  const auto may_replace = [&](const Place& open) { return open.begin <= ended_.begin; };
  if (ended_.term < 0 || std::ranges::any_of(open_, may_replace)) {
    return;
  }
  is_met_[static_cast<std::size_t>(ended_.term)] = true;
  ++met_;
  std::erase_if(open_, [&](const Place& open) { return open.term == ended_.term; });
  ended_ = {};
}

/// Ends the longest of the open forms whose last subword is the newest one. What began inside of it is no term of its
/// own.
void TermProgress::end_longest() {
  const Place* longest = nullptr;
  for (const auto& open : open_) {
    const bool is_whole = std::ssize(form_of(open).subwords) == length_ - open.begin;
    if (is_whole && (longest == nullptr || open.begin < longest->begin)) {
      longest = &open;
    }
  }
  if (longest == nullptr) {
    return;
  }
  ended_ = *longest;
  ended_at_ = length_;
  std::erase_if(open_, [&](const Place& open) {
    return open.begin > ended_.begin || std::ssize(form_of(open).subwords) == length_ - open.begin ||
           open.term == ended_.term;
  });
}

std::vector<std::int64_t> TermProgress::missing() const {
  std::vector<std::int64_t> numbers;
  for (std::int64_t term = 0; term < std::ssize(is_met_); ++term) {
    if (may_begin(term)) {
      numbers.push_back(term);
    }
  }
  return numbers;
}

std::int64_t TermProgress::subwords_needed() const {
  // A form that may begin behind any subword; one that is joined to a mark may not.
  const auto fewest = [&](std::int64_t term) {
    std::int64_t subwords = std::numeric_limits<std::int32_t>::max();
    for (const auto& form : term_at(term).forms) {
      const bool can_come = terms_->edges_->may_begin_word(form.subwords.back(), form.subwords.front()) &&
                            (!form.begins_text || length_ == 0);
      subwords = can_come ? std::min<std::int64_t>(subwords, std::ssize(form.subwords)) : subwords;
    }
    return subwords;
  };
  std::int64_t needed = 0;
  for (const auto term : missing()) {
    needed += fewest(term);
  }
  // Only one of the open forms can be completed, and none that would take the place of a term that has ended.
  std::int64_t saved = 0;
  for (const auto& open : open_) {
    const auto rest = std::ssize(form_of(open).subwords) - (length_ - open.begin);
    if (ended_.term < 0 || open.begin > ended_.begin) {
      saved = std::max(saved, fewest(open.term) - rest);
    }
  }
  return needed - saved;
}

}  // namespace translate

#include "decoding/term_requirement.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "decoding/text_words.h"
#include "segments/letter_case.h"

namespace translate {

bool needs_constrained_search(Sentence& sentence) {
  const auto has_terms = [&](const Hypothesis& hypothesis) { return sentence.terms->are_in(hypothesis.ids); };
  if (!sentence.terms || !sentence.is_unconstrained || std::ranges::all_of(sentence.hypotheses, has_terms)) {
    return false;
  }
  sentence.is_unconstrained = false;
  sentence.hypotheses.clear();
  return true;
}

std::shared_ptr<const WordEdges> TermRequirement::edges() const {
  std::call_once(edges_->once, [&] { edges_->edges = std::make_shared<const WordEdges>(target_); });
  return edges_->edges;
}

std::vector<RequiredTerm::Form> TermRequirement::forms(const std::string& term, bool is_raised) const {
  constexpr std::array<std::string_view, 6> kBefore = {"a ", "'", "’", "(", "«", "-"};
  std::vector<RequiredTerm::Form> result;
  const auto add = [&](std::vector<std::int64_t> subwords, bool begins_text) {
    const bool lacks = std::ranges::count(subwords, target_.special_tokens().unk) > 0;
    RequiredTerm::Form form{.subwords = std::move(subwords), .begins_text = begins_text};
    if (!form.subwords.empty() && !lacks && std::ranges::find(result, form) == result.end()) {
      result.push_back(std::move(form));
    }
  };
  const auto add_all = [&](const std::string& text, bool begins_text) {
    add(target_.encode(text), begins_text);
    for (const auto before : kBefore) {
      const auto mark = target_.encode(before);
      const auto both = target_.encode(std::string(before) + text);
      const bool is_known = std::ranges::count(mark, target_.special_tokens().unk) == 0;  // else it may join the text's
      if (is_known && both.size() > mark.size() && std::ranges::equal(mark, std::span(both).first(mark.size()))) {
        add({both.begin() + std::ssize(mark), both.end()}, begins_text);
      }
    }
  };
  add_all(term, /*begins_text=*/false);
  if (const auto with_capital = capitalized(term, target_language_); with_capital != term && !result.empty()) {
    add_all(with_capital, /*begins_text=*/!is_raised);
  }
  return result;
}

std::vector<std::string> TermRequirement::apply(const std::vector<PlannedTerm>& terms, std::string_view text,
                                                Sentence& sentence) const {
  std::vector<std::string> unwritten;
  std::vector<RequiredTerm> required;
  const auto words =
      terms.empty() ? std::vector<std::int64_t>() : words_of_source(source_, text, sentence.source_subwords());
  const auto letter_case = terms.empty() ? LetterCase::kMixed : letter_case_of(text);
  for (const auto& term : terms) {
    auto written = forms(raised(term.target, letter_case, target_language_), term.is_raised);
    if (written.empty()) {  // perhaps the vocabulary lacks capitals alone
      written = forms(term.target, term.is_raised);
    }
    if (written.empty()) {
      unwritten.push_back(term.target);
      continue;
    }
    const auto begin = std::ranges::lower_bound(words, term.first_word) - words.begin();
    const auto end = std::ranges::upper_bound(words, term.last_word) - words.begin();
    required.push_back({.text = term.target,
                        .forms = std::move(written),
                        .source_begin = sentence.source_begin + begin,
                        .source_end = sentence.source_begin + end});
  }
  if (!required.empty()) {
    sentence.terms = std::make_shared<const RequiredTerms>(std::move(required), edges());
  }
  return unwritten;
}

}  // namespace translate

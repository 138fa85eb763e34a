#include "segments/glossary.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "core/utf8.h"
#include "segments/characters.h"

namespace translate {

std::optional<std::string> fault_of(std::string_view text, std::string_view side) {
  if (first_invalid_utf8(text)) {
    return fmt::format("the {} term is not valid UTF-8", side);
  }
  if (is_blank(text)) {
    return fmt::format("the {} term is empty", side);
  }
  if (text.size() > GlossaryTerm::kMostBytes) {
    return fmt::format("the {} term has {} bytes; expected at most {}", side, text.size(), GlossaryTerm::kMostBytes);
  }
  if (std::ranges::any_of(decode_utf8(text), [](char32_t c) { return u_iscntrl(static_cast<UChar32>(c)) != 0; })) {
    return fmt::format("the {} term has a control character; expected text alone", side);
  }
  return std::nullopt;
}

std::optional<std::string> fault_of(const GlossaryTerm& term) {
  auto fault = fault_of(term.source, "source");
  return fault ? fault : fault_of(term.target, "target");
}

Glossary::Glossary(std::vector<GlossaryTerm> terms) : terms_(std::move(terms)) {
  std::vector<TermIndex::Term> indexed;
  for (auto& term : terms_) {
    term = {.source = std::string(trimmed(term.source)), .target = std::string(trimmed(term.target))};
    const bool has_capital = std::ranges::any_of(decode_utf8(term.source), is_capital);
    indexed.push_back({.text = term.source,
                       .letters = has_capital ? TermIndex::Letters::kExact : TermIndex::Letters::kAnyCase,
                       .number = indexed.size()});
  }
  index_ = TermIndex(std::move(indexed));
}

std::vector<FoundTerm> find_terms(std::string_view text, const Glossaries& glossaries) {
  std::vector<FoundTerm> found;
  if (glossaries.empty()) {
    return found;
  }
  const auto letter_case = letter_case_of(text);
  for (std::size_t at = 0; at < text.size();) {
    TermIndex::Match longest;
    const GlossaryTerm* term = nullptr;
    for (const auto& glossary : glossaries) {
      if (const auto match = glossary->match(text, at, letter_case); match.length > longest.length) {
        longest = match;
        term = &glossary->terms()[match.number];
      }
    }
    if (term != nullptr) {
      const bool is_raised = is_capital(decode_utf8(text.substr(at, longest.length)).front()) &&
                             !is_capital(decode_utf8(term->source).front());
      found.push_back(
          {.range = {.begin = at, .end = at + longest.length}, .target = term->target, .is_raised = is_raised});
      at += longest.length;
      continue;
    }
    at = next_character(text, at);
  }
  return found;
}

}  // namespace translate

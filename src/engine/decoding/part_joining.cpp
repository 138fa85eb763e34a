#include "decoding/part_joining.h"

#include <algorithm>
#include <string_view>

#include "core/utf8.h"
#include "decoding/text_words.h"
#include "text/text_joining.h"

namespace translate {

namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

bool has_line_end(std::u32string_view text) { return std::ranges::any_of(text, is_line_end); }

/// Returns the separator between the translations of two parts. Line ends and tabs between their sources stay, line
/// ends also where a translation is empty. Spaces follow the writing of the translations. `before` is empty at the
/// beginning of a line.
std::string separator(const std::string& between_sources, std::string_view before, std::string_view after) {
  const auto between = decode_utf8(between_sources);
  if (before.empty() || after.empty()) {
    return has_line_end(between) ? between_sources : "";
  }
  if (has_line_end(between) || between.find(U'\t') != std::u32string::npos) {
    return between_sources;
  }
  constexpr char32_t kIdeographicSpace = 0x3000;
  const auto space = space_between(before, after);
  const bool is_usual = !between.empty() && between.find(kIdeographicSpace) == std::u32string::npos;
  return !space.empty() && is_usual ? between_sources : std::string(space);
}

}  // namespace

std::vector<std::string> separators(std::span<const LinePart> parts, const CandidateChoice& choice) {
  std::vector<std::string> result;
  std::string_view before;  // the text since the last line end
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view text = choice[i]->text;
    before = parts[i].frame.empty() ? before : std::string_view();
    result.push_back(parts[i].frame + separator(parts[i].separator, before, text));
    if (!text.empty() || !result.back().empty()) {
      before = text;
    }
  }
  return result;
}

Candidate join_parts(const std::string& line, std::span<const LinePart> parts, const CandidateChoice& choice,
                     bool alignments) {
  Candidate whole;
  const auto between = separators(parts, choice);
  const TextWords words(alignments ? std::string_view(line) : std::string_view());
  std::int64_t source_characters = 0;  // of the previous parts
  std::int64_t target_words = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = *choice[i];
    whole.text += between[i] + part.text;
    whole.score += part.score;
    whole.normalized_score += part.normalized_score;
    whole.truncated = whole.truncated || part.truncated;
    append(whole.tokens, part.tokens);
    append(whole.token_scores, part.token_scores);
    append(whole.word_scores, part.word_scores);
    append(whole.missing_terms, part.missing_terms);
    if (!alignments) {
      continue;
    }
    const TextWords part_words(parts[i].text);
    for (const auto& pair : part.alignment) {
      // A part may begin or end inside a word of the line.
      const auto source = words.word_at(source_characters + part_words.first_character(pair.source));
      whole.alignment.push_back({.source = source, .target = target_words + pair.target});
    }
    source_characters += part_words.characters();
    target_words += TextWords(part.text).words();
  }
  sort_alignment(whole.alignment);
  return whole;
}

}  // namespace translate

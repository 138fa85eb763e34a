#include "segments/text_edits.h"

#include <algorithm>

#include "segments/text_marks.h"

namespace translate {

namespace {

/// Returns where the words of a text begin.
std::vector<std::size_t> word_begins(std::string_view text) {
  std::vector<std::size_t> begins;
  for (const auto& word : words_of(text)) {
    begins.push_back(word.begin);
  }
  return begins;
}

/// Returns the word that begins at `place` or before it; the first one if none does.
std::int64_t word_at(const std::vector<std::size_t>& begins, std::size_t place) {
  const auto after = std::ranges::upper_bound(begins, place) - begins.begin();
  return std::max<std::int64_t>(after - 1, 0);
}

/// Returns the place in the text of a byte of the edited text; that of an edit for all bytes of its text.
std::size_t place_before(std::span<const TextEdit> edits, std::size_t place) {
  std::size_t added = 0;
  std::size_t removed = 0;
  for (const auto& edit : edits) {
    const auto begin = edit.begin + added - removed;
    if (place < begin) {
      break;
    }
    if (place < begin + edit.text.size()) {
      return edit.begin;
    }
    added += edit.text.size();
    removed += edit.end - edit.begin;
  }
  return place + removed - added;
}

}  // namespace

std::string edited(std::string_view text, std::span<const TextEdit> edits) {
  std::string result;
  std::size_t at = 0;
  for (const auto& edit : edits) {
    result += text.substr(at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  return result.append(text.substr(at));
}

std::size_t place_after_edits(std::span<const TextEdit> edits, std::size_t place) {
  std::size_t added = 0;
  std::size_t removed = 0;
  for (const auto& edit : edits) {
    if (edit.end > place) {
      return std::min(edit.begin, place) + added - removed;
    }
    added += edit.text.size();
    removed += edit.end - edit.begin;
  }
  return place + added - removed;
}

std::vector<std::int64_t> words_after_edits(std::string_view text, std::span<const TextEdit> edits) {
  const auto begins = word_begins(edited(text, edits));
  std::vector<std::int64_t> words;
  for (const auto begin : begins.empty() ? std::vector<std::size_t>() : word_begins(text)) {
    words.push_back(word_at(begins, place_after_edits(edits, begin)));
  }
  return words;
}

std::vector<std::int64_t> words_before_edits(std::string_view text, std::span<const TextEdit> edits) {
  const auto begins = word_begins(text);
  std::vector<std::int64_t> words;
  for (const auto begin : word_begins(edited(text, edits))) {
    words.push_back(word_at(begins, place_before(edits, begin)));
  }
  return words;
}

}  // namespace translate

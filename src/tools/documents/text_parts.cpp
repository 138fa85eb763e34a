#include "documents/text_parts.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/utf8.h"
#include "documents/markup.h"
#include "text/text_joining.h"

namespace translate::tools {

namespace {

constexpr std::string_view kWideEnds[] = {"。", "！", "？", "｡"};  // a sentence may begin behind them without a space
constexpr std::string_view kSentenceEnds[] = {".", "!", "?", "…", "．", "؟", "۔", "।", "॥", "։", "።", "။", "។"};
constexpr std::string_view kClosers[] = {"\"", "'",  ")",  "]",  "»",  "”",  "’", "」",
                                         "』", "）", "】", "〉", "》", "〕", "］"};

/// Removes one of the suffixes, if the text has one.
bool take_suffix(std::string_view& text, std::span<const std::string_view> suffixes) {
  const auto suffix = std::ranges::find_if(suffixes, [&](std::string_view one) { return text.ends_with(one); });
  if (suffix == suffixes.end()) {
    return false;
  }
  text.remove_suffix(suffix->size());
  return true;
}

}  // namespace

bool ends_sentence(std::string_view text) {
  while (take_suffix(text, kClosers)) {
  }
  return take_suffix(text, kSentenceEnds) || take_suffix(text, kWideEnds);
}

namespace {

/// Returns the length of the mark of `marks` with which the text begins, or 0.
std::size_t prefix_length(std::string_view text, std::span<const std::string_view> marks) {
  const auto mark = std::ranges::find_if(marks, [&](std::string_view one) { return text.starts_with(one); });
  return mark == marks.end() ? 0 : mark->size();
}

/// Returns the length of the first sentence of a text without white space, by its wide end marks and what closes
/// behind them.
std::size_t wide_sentence_length(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto end = at + prefix_length(text.substr(at), kWideEnds);
    if (end == at) {
      continue;
    }
    while (const auto length =
               std::max(prefix_length(text.substr(end), kWideEnds), prefix_length(text.substr(end), kClosers))) {
      end += length;
    }
    return end;
  }
  return text.size();
}

/// A word, or in scripts without spaces a sentence, and the white space after it.
struct SpacedWord {
  std::string_view word;
  std::string_view space;
};

std::vector<SpacedWord> split_words(std::string_view text) {
  std::vector<SpacedWord> words;
  while (!text.empty()) {
    const auto word =
        text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_html_space) - text.begin()));
    text.remove_prefix(word.size());
    const auto space =
        text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_html_space) - text.begin()));
    text.remove_prefix(space.size());
    auto rest = word;
    do {
      const auto part = rest.substr(0, wide_sentence_length(rest));
      rest.remove_prefix(part.size());
      words.push_back({.word = part, .space = rest.empty() ? space : std::string_view()});
    } while (!rest.empty());
  }
  return words;
}

/// Returns for each gap the number of words of the translation that come before it.
std::vector<std::size_t> places(const std::vector<SpacedWord>& words, const TextSpacing& spacing) {
  std::vector<std::size_t> ends;  // words up to the end of each sentence
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (ends_sentence(words[i].word)) {
      ends.push_back(i + 1);
    }
  }
  std::vector<std::size_t> result;
  for (const auto& gap : spacing.gaps) {
    const bool by_sentence = gap.sentences > 0 && ends.size() == spacing.sentences;
    const auto place = by_sentence ? ends[gap.sentences - 1]
                                   : (gap.words * words.size() + spacing.words / 2) / spacing.words;  // rounded
    result.push_back(std::max({place, std::size_t{1}, result.empty() ? 0 : result.back()}));
  }
  return result;
}

}  // namespace

std::string take_spacing(std::string_view text, TextSpacing& spacing) {
  std::string result;
  spacing = {};
  const auto words = split_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& [word, space] = words[i];
    result += word;
    ++spacing.words;
    const bool ends = ends_sentence(word);
    spacing.sentences += ends ? 1 : 0;
    if (space.empty()) {
      continue;
    }
    if (space == " ") {
      result += space;
      continue;
    }
    result += i + 1 < words.size() ? space_between(word, words[i + 1].word) : " ";
    spacing.gaps.push_back(
        {.words = spacing.words, .sentences = ends ? spacing.sentences : 0, .space = std::string(space)});
  }
  return result;
}

std::string apply_spacing(std::string_view translation, const TextSpacing& spacing) {
  if (spacing.gaps.empty()) {
    return std::string(translation);
  }
  const auto words = split_words(translation);
  const auto where = places(words, spacing);
  std::string result;
  std::size_t gap = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += words[i].word;
    const auto first = gap;
    for (; gap < where.size() && where[gap] <= i + 1; ++gap) {
      result += spacing.gaps[gap].space;
    }
    if (gap == first) {
      result += words[i].space;
    }
  }
  for (; gap < spacing.gaps.size(); ++gap) {
    result += spacing.gaps[gap].space;
  }
  return result;
}

namespace {

/// Returns `text` with `prefix` behind each line end, unless it is there, as in a tag that goes over two lines.
std::string with_line_prefix(std::string text, const std::string& prefix) {
  for (auto line_end = text.find('\n'); line_end != std::string::npos; line_end = text.find('\n', line_end + 1)) {
    if (text.compare(line_end + 1, prefix.size(), prefix) != 0) {
      text.insert(line_end + 1, prefix);
    }
  }
  return text;
}

/// Returns a text with one line end, the last, in place of several with white space alone between them, and with none
/// at its edges.
std::string without_blank_lines(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const space_end =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_html_space);
    const auto end = static_cast<std::size_t>(space_end - text.begin());
    if (end == at) {
      result += text[at++];
      continue;
    }
    const auto space = text.substr(at, end - at);
    auto line_end = space.rfind('\n');
    const bool is_edge = at == 0 || end == text.size();
    if (line_end == std::string_view::npos) {
      result += space;
    } else if (!is_edge) {
      line_end -= line_end > 0 && space[line_end - 1] == '\r' ? 1 : 0;
      result += space.substr(line_end);
    }
    at = end;
  }
  return result;
}

std::string unescaped(std::string_view text) { return std::string(text); }

/// Returns the translation of text `i` as it stands in the file.
std::string written(const TextParts& parts, std::size_t i, const AlignedText& translation) {
  if (parts.writing.empty()) {
    return translation.text;
  }
  const auto& writing = parts.writing[i];
  if (translation.text == parts.texts[i]) {
    return writing.original;
  }
  const auto escape = writing.escape == nullptr ? unescaped : writing.escape;
  auto text = parts.spacing.empty() ? translation.text : apply_spacing(translation.text, parts.spacing[i]);
  if (writing.has_no_blank_lines) {
    text = without_blank_lines(text);
  }
  auto result = std::string();
  if (parts.marks.empty() || parts.marks[i].texts.empty()) {
    result = escape(text);
  } else {
    const auto& [tree, texts] = parts.marks[i];
    result = insert_marks(text, project_marks(parts.texts[i], tree, text, translation.alignment), texts, escape);
  }
  if (!writing.line_prefix.empty()) {
    result = with_line_prefix(std::move(result), writing.line_prefix);
  }
  return writing.finish == nullptr ? result : writing.finish(std::move(result));
}

}  // namespace

TextParts split_plain_text(std::string_view text) {
  TextParts parts{.texts = {}, .between = {""}};
  while (!text.empty()) {
    const auto newline = text.find('\n');
    auto line = text.substr(0, newline);
    std::string_view ending;
    if (newline != std::string_view::npos) {
      const bool after_return = newline > 0 && text[newline - 1] == '\r';
      line.remove_suffix(after_return ? 1 : 0);
      ending = text.substr(line.size(), newline + 1 - line.size());
    }
    if (is_blank(line)) {
      parts.between.back() += line;
    } else {
      parts.texts.emplace_back(line);
      parts.between.emplace_back();
    }
    parts.between.back() += ending;
    text.remove_prefix(line.size() + ending.size());
  }
  return parts;
}

std::vector<std::vector<TextMark>> TextParts::marked_ranges() const {
  std::vector<std::vector<TextMark>> ranges(texts.size());
  std::ranges::transform(marks, ranges.begin(), [](const InlineMarks& of_text) { return of_text.tree.marks; });
  return ranges;
}

std::string join_parts(const TextParts& parts, std::span<const AlignedText> translations) {
  std::string joined = parts.between.front();
  for (std::size_t i = 0; i < parts.texts.size(); ++i) {
    joined += written(parts, i, translations[i]);
    joined += parts.between[i + 1];
  }
  return joined;
}

}  // namespace translate::tools

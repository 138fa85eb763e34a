#include "documents/inline_tokens.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/html/inline_marks.h"
#include "documents/markup.h"

namespace translate::tools {

namespace {

bool is_text(const InlineToken& token) { return token.kind == TokenKind::kText; }
bool is_space(const InlineToken& token) { return token.kind == TokenKind::kSpace; }

/// The bytes of a token in the file.
const std::string& file_bytes(const InlineToken& token) {
  return is_text(token) || is_space(token) ? token.original : token.bytes;
}

std::string file_bytes(std::span<const InlineToken> tokens) {
  std::string bytes;
  for (const auto& token : tokens) {
    bytes += file_bytes(token);
  }
  return bytes;
}

/// Makes a text with marks of tokens, at least one of which is a text.
class MarkedText {
 public:
  /// Returns false if elements are nested too deeply.
  bool read(std::span<InlineToken> tokens) {
    attach_spaces(tokens);
    for (const auto& token : tokens) {
      bytes_ += file_bytes(token);
      read(token);
      if (open_.size() > kMostNested) {
        return false;
      }
    }
    while (!open_.empty()) {
      leave_open();
    }
    return true;
  }

  /// The text, with its own white space.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Returns the marks for the text with other white space between the words: each stands behind as many characters,
  /// white space apart, and behind white space if it does so in the text.
  [[nodiscard]] InlineMarks marks_in(std::string_view plain) const {
    const auto places = places_in(plain);
    InlineMarks result;
    std::vector<std::int64_t> numbers(marks_.size(), MarkTree::kText);
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const auto& mark = marks_[i];
      if (mark.is_dropped) {
        continue;
      }
      numbers[i] = std::ssize(result.tree.marks);
      result.tree.marks.push_back({.begin = places[mark.begin], .end = places[mark.end]});
      result.tree.parents.push_back(mark.parent == MarkTree::kText ? mark.parent
                                                                   : numbers[static_cast<std::size_t>(mark.parent)]);
      result.texts.push_back({.before = mark.before, .after = mark.after});
    }
    return result;
  }

 private:
  struct Mark {
    std::string name;
    std::string before;
    std::string after;
    std::size_t from = 0;  ///< where its bytes begin in all bytes
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t parent = MarkTree::kText;
    bool has_kept = false;    ///< text that is not translated
    bool is_dropped = false;  ///< a part of another mark's bytes
  };

  /// Makes white space before the first text a part of the token in front of it, and behind the last text of the one
  /// that follows.
  static void attach_spaces(std::span<InlineToken> tokens) {
    const auto first = std::ranges::find_if(tokens, is_text);
    for (auto token = tokens.begin(); token != first; ++token) {
      if (is_space(*token) && token != tokens.begin()) {
        auto& before = *std::prev(token);
        (is_space(before) ? before.original : before.bytes) += std::exchange(*token, {TokenKind::kSpace}).original;
      }
    }
    for (auto token = tokens.rbegin(); token != tokens.rend() && !is_text(*token); ++token) {
      if (is_space(*token) && token != tokens.rbegin()) {
        auto& behind = *std::prev(token);
        (is_space(behind) ? behind.original : behind.bytes)
            .insert(0, std::exchange(*token, {TokenKind::kSpace}).original);
      }
    }
  }

  /// Returns for each place of the text that in `plain`.
  [[nodiscard]] std::vector<std::size_t> places_in(std::string_view plain) const {
    std::vector<std::size_t> places;
    std::size_t at = 0;
    const auto skip_space = [&] {
      while (at < plain.size() && is_html_space(plain[at])) {
        ++at;
      }
    };
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      if (i > 0 && is_html_space(text_[i - 1])) {
        skip_space();
      }
      places.push_back(at);
      if (i < text_.size() && !is_html_space(text_[i])) {
        skip_space();
        at = std::min(at + 1, plain.size());
      }
    }
    return places;
  }

  void read(const InlineToken& token) {
    switch (token.kind) {
      case TokenKind::kText:
        if (divides_words_ && !text_.empty() && !is_html_space(text_.back())) {
          text_ += ' ';
        }
        divides_words_ = false;
        text_ += token.bytes;
        break;
      case TokenKind::kSpace:
        add_space(token);
        break;
      case TokenKind::kOpen:
        open_.push_back(add(token));
        break;
      case TokenKind::kClose:
        close(token);
        break;
      default:
        add(token);
        if (token.kind == TokenKind::kKept && !open_.empty()) {
          marks_[open_.back()].has_kept = true;
        }
        divides_words_ = divides_words_ || token.name == "br";
    }
  }

  /// White space on both sides of tags separates two words once: the second becomes a part of the last tag.
  void add_space(const InlineToken& space) {
    if (text_.empty() || !is_html_space(text_.back()) || marks_.empty()) {
      text_ += space.bytes;
      return;
    }
    auto& last = marks_[last_tag_];
    (last.after.empty() ? last.before : last.after) += space.original;
  }

  std::size_t add(const InlineToken& token) {
    Mark mark{.name = token.name,
              .before = token.bytes,
              .after = "",
              .from = bytes_.size() - token.bytes.size(),
              .begin = text_.size(),
              .end = text_.size()};
    mark.parent = open_.empty() ? MarkTree::kText : static_cast<std::int64_t>(open_.back());
    marks_.push_back(std::move(mark));
    last_tag_ = marks_.size() - 1;
    return last_tag_;
  }

  void close(const InlineToken& token) {
    const auto opened =
        std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t i) { return marks_[i].name == token.name; });
    if (opened == open_.rend()) {
      add(token);
      return;
    }
    const auto number = *opened;
    while (open_.back() != number) {
      leave_open();
    }
    open_.pop_back();
    auto& mark = marks_[number];
    mark.after = token.bytes;
    mark.end = text_.size();
    last_tag_ = number;
    if (mark.has_kept && is_blank(std::string_view(text_).substr(mark.begin))) {
      keep_whole(number);
    }
  }

  /// Makes an element without text to translate one place.
  void keep_whole(std::size_t number) {
    auto& mark = marks_[number];
    for (std::size_t i = number + 1; i < marks_.size(); ++i) {
      marks_[i].is_dropped = true;
    }
    mark.before = bytes_.substr(mark.from);
    mark.after.clear();
    text_.resize(mark.begin);
    mark.end = mark.begin;
  }

  /// The innermost open element has no end: its tag stands at a place, and what is in it belongs to what is around it.
  void leave_open() {
    const auto number = open_.back();
    open_.pop_back();
    auto& mark = marks_[number];
    mark.end = mark.begin;
    for (std::size_t i = number + 1; i < marks_.size(); ++i) {
      if (marks_[i].parent == static_cast<std::int64_t>(number)) {
        marks_[i].parent = mark.parent;
      }
    }
    if (mark.has_kept && !open_.empty()) {
      marks_[open_.back()].has_kept = true;
    }
  }

  std::string bytes_;  ///< of all tokens
  std::string text_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> open_;
  std::size_t last_tag_ = 0;    ///< the mark of the last tag
  bool divides_words_ = false;  ///< there is a <br> since the last text
};

}  // namespace

void add_inline_text(std::span<InlineToken> tokens, const TextWriting& writing, TextParts& parts) {
  if (std::ranges::none_of(tokens, is_text)) {
    return parts.keep(file_bytes(tokens));
  }
  const auto add = [&](std::string_view text, std::string original) {
    TextSpacing spacing;
    parts.texts.push_back(take_spacing(text, spacing));
    parts.spacing.push_back(std::move(spacing));
    parts.marks.emplace_back();
    parts.writing.push_back(writing);
    parts.writing.back().original = std::move(original);
    parts.between.emplace_back();
  };
  const auto begin = std::ranges::find_if_not(tokens, is_space);
  const auto end = std::find_if_not(tokens.rbegin(), tokens.rend(), is_space).base();
  parts.keep(file_bytes(std::span(tokens.begin(), begin)));
  const std::span inside(begin, end);
  auto original = file_bytes(inside);
  MarkedText marked;
  if (marked.read(inside)) {
    add(marked.text(), std::move(original));
    parts.marks.back() = marked.marks_in(parts.texts.back());
  } else {
    for (const auto& token : inside) {
      is_text(token) ? add(token.bytes, token.original) : parts.keep(file_bytes(token));
    }
  }
  parts.keep(file_bytes(std::span(end, tokens.end())));
}

void add_string_tokens(const DecodedString& string, std::size_t begin, std::size_t end,
                       std::vector<InlineToken>& tokens) {
  const auto text = std::string_view(string.text()).substr(begin, end - begin);
  const auto add = [&](TokenKind kind, std::size_t from, std::size_t to) {
    if (from < to) {
      tokens.push_back({.kind = kind,
                        .bytes = std::string(text.substr(from, to - from)),
                        .original = std::string(string.original(begin + from, begin + to))});
    }
  };
  const auto first = static_cast<std::size_t>(std::ranges::find_if_not(text, is_html_space) - text.begin());
  const auto last =
      static_cast<std::size_t>(std::find_if_not(text.rbegin(), text.rend(), is_html_space).base() - text.begin());
  if (is_blank(text)) {  // also of white space that is more than HTML's
    const bool is_space = first == text.size();
    if (is_space) {
      add(TokenKind::kSpace, 0, text.size());
    } else if (!text.empty()) {
      tokens.push_back({.kind = TokenKind::kKept, .bytes = std::string(string.original(begin, end))});
    }
    return;
  }
  add(TokenKind::kSpace, 0, first);
  add(TokenKind::kText, first, last);
  add(TokenKind::kSpace, last, text.size());
}

namespace {

/// Returns the tokens of a line of a string: its tags, and the text between them.
std::vector<InlineToken> line_tokens(const DecodedString& string, std::size_t begin, std::size_t end) {
  std::vector<InlineToken> tokens;
  const auto line = std::string_view(string.text()).substr(0, end);
  auto text = begin;
  for (auto at = begin; at < end;) {
    const auto length = line[at] == '<' ? markup_length(line.substr(at, kLongestTag)) : 0;
    const bool is_tag = length > 0 && line[at + length - 1] == '>';
    if (!is_tag) {
      ++at;
      continue;
    }
    add_string_tokens(string, text, at, tokens);
    tokens.push_back(tag_token(line.substr(at, length)));
    tokens.back().bytes = string.original(at, at + length);
    if (tokens.back().kind == TokenKind::kBlock) {  // a string is one text
      tokens.back().kind = TokenKind::kAlone;
    }
    at += length;
    text = at;
  }
  add_string_tokens(string, text, end, tokens);
  return tokens;
}

}  // namespace

void add_string(const DecodedString& string, const TextWriting& writing, TextParts& parts) {
  const std::string_view text = string.text();
  for (std::size_t begin = 0; begin < text.size();) {
    const auto newline = std::min(text.find('\n', begin), text.size());
    auto tokens = line_tokens(string, begin, newline);
    add_inline_text(tokens, writing, parts);
    begin = std::min(newline + 1, text.size());
    parts.keep(string.original(newline, begin));
  }
}

}  // namespace translate::tools

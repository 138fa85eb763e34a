#include "documents/prose/markdown_inline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "core/utf8.h"
#include "documents/html/html_references.h"
#include "documents/html/html_texts.h"
#include "documents/html/inline_marks.h"
#include "documents/markup.h"

namespace translate::tools {

namespace {

constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr std::size_t kMostLinks = 10;  // inside one another
constexpr std::size_t kMostOpen = 100;  // runs of delimiters that may still be closed

bool is_punctuation(char c) { return kPunctuation.find(c) != std::string_view::npos; }
bool is_word_byte(char c) { return !is_html_space(c) && !is_punctuation(c); }

/// A run of `*`, `_` or `~`, which may open and close emphasis.
struct Delimiters {
  std::size_t token;  ///< its place among the tokens
  char character;
  std::size_t length;  ///< those that are left
  bool opens;
  bool closes;
  std::size_t at;                    ///< in the text
  std::size_t closed = 0;            ///< those that have closed something
  std::vector<InlineToken> closing;  ///< tags that come in front of what is left
  std::vector<InlineToken> opening;  ///< tags behind it, the innermost first
};

class MarkdownScanner {
 public:
  MarkdownScanner(const DecodedString& text, const std::set<std::string>& references)
      : text_(text), source_(text.text()), references_(references), run_(text.file(), text.place(0)) {}

  std::vector<InlineToken> scan() {
    scan(0, source_.size(), 0);
    return std::move(tokens_);
  }

 private:
  /// Scans a part of the text, whose emphasis lies inside of it.
  void scan(std::size_t begin, std::size_t end, std::size_t depth) {
    auto outer = std::exchange(delimiters_, {});
    begin_run(begin);
    while (at_ < end) {
      const auto rest = source_.substr(at_, end - at_);
      const char c = rest.front();
      if (c == '\\' && rest.size() > 1 && is_punctuation(rest[1])) {
        add_text(rest.substr(1, 1), 2);
      } else if (c == '`') {
        take_code(rest);
      } else if (c == '<') {
        take_tag(rest);
      } else if (c == '&' && reference_length(rest) > 0) {
        add_text(decode_html(rest.substr(0, reference_length(rest))), reference_length(rest));
      } else if ((c == '[' || rest.starts_with("![")) && depth < kMostLinks && take_link(end, depth)) {
        continue;
      } else if (c == '*' || c == '_' || c == '~') {
        take_delimiters(rest);
      } else {
        add_text(rest.substr(0, 1), 1);
      }
    }
    end_run();
    pair_delimiters();
    delimiters_ = std::move(outer);
  }

  void begin_run(std::size_t at) {
    at_ = at;
    run_ = DecodedString(text_.file(), text_.place(at));
  }

  void add_text(std::string_view decoded, std::size_t length) {
    at_ += length;
    run_.add(decoded, text_.place(at_));
  }

  void end_run() { add_string_tokens(run_, 0, run_.text().size(), tokens_); }

  void add_token(TokenKind kind, std::string name, std::size_t length) {
    end_run();
    tokens_.push_back({.kind = kind, .name = std::move(name), .bytes = std::string(text_.original(at_, at_ + length))});
    begin_run(at_ + length);
  }

  void take_code(std::string_view rest) {
    const auto length = std::min(rest.find_first_not_of('`'), rest.size());
    for (auto close = rest.find('`', length); close != std::string_view::npos;) {
      const auto close_end = std::min(rest.find_first_not_of('`', close), rest.size());
      if (close_end - close == length) {
        add_token(TokenKind::kAlone, "", close_end);
        return;
      }
      close = rest.find('`', close_end);
    }
    add_text(rest.substr(0, length), length);
  }

  void take_tag(std::string_view rest) {
    rest = rest.substr(0, kLongestTag);
    const auto close = rest.find('>');
    const auto inside = rest.substr(1, close == std::string_view::npos ? 0 : close - 1);
    const bool is_link = !inside.empty() && inside.find_first_of(" \t\r\n<") == std::string_view::npos &&
                         (inside.find(':') != std::string_view::npos || inside.find('@') != std::string_view::npos);
    const auto length = is_link ? close + 1 : markup_length(rest);
    if (length == 0 || rest[length - 1] != '>') {
      add_text("<", 1);
      return;
    }
    auto token = is_link ? InlineToken{.kind = TokenKind::kAlone} : tag_token(rest.substr(0, length));
    add_token(token.kind == TokenKind::kBlock ? TokenKind::kAlone : token.kind, token.name, length);
  }

  /// The place of the bracket that closes the one at `open`, or nothing.
  [[nodiscard]] std::optional<std::size_t> closing_bracket(std::size_t open, std::size_t end) const {
    std::size_t depth = 0;
    constexpr std::size_t kLongestLink = 4096;  // so that time is linear
    for (auto at = open; at < std::min(end, open + kLongestLink); ++at) {
      const char c = source_[at];
      if (c == '\\') {
        ++at;
      } else if (c == '[') {
        ++depth;
      } else if (c == ']' && --depth == 0) {
        return at;
      }
    }
    return std::nullopt;
  }

  /// The end of a link behind its text: of "(url "title")" or "[label]"; `close` + 1 for a label that is defined.
  [[nodiscard]] std::optional<std::size_t> link_end(std::size_t open, std::size_t close, std::size_t end) const {
    const auto behind = source_.substr(close + 1, end - close - 1);
    if (behind.starts_with('(')) {
      constexpr std::size_t kLongestTarget = 4096;
      std::size_t depth = 0;
      for (std::size_t at = 0; at < std::min(behind.size(), kLongestTarget); ++at) {
        if (behind[at] == '\\') {
          ++at;
        } else if (behind[at] == '(') {
          ++depth;
        } else if (behind[at] == ')' && --depth == 0) {
          return close + 1 + at + 1;
        }
      }
      return std::nullopt;
    }
    if (behind.starts_with('[')) {
      const auto label_end = closing_bracket(close + 1, end);
      return label_end ? std::optional(*label_end + 1) : std::nullopt;
    }
    const bool is_defined = references_.contains(ascii_lower(source_.substr(open + 1, close - open - 1)));
    return is_defined ? std::optional(close + 1) : std::nullopt;
  }

  /// Takes a link or an image. Returns false if there is none.
  bool take_link(std::size_t end, std::size_t depth) {
    const auto open = source_[at_] == '!' ? at_ + 1 : at_;
    const auto close = closing_bracket(open, end);
    if (!close) {
      return false;
    }
    if (source_.substr(open + 1).starts_with('^')) {  // a note
      add_token(TokenKind::kAlone, "", *close + 1 - at_);
      return true;
    }
    const auto link = link_end(open, *close, end);
    if (!link) {
      return false;
    }
    const bool is_label = *link == *close + 1;  // its text says where it leads
    if (is_label || is_blank(source_.substr(open + 1, *close - open - 1))) {
      add_token(TokenKind::kAlone, "", *link - at_);
      return true;
    }
    const auto name = fmt::format("[{}", ++pairs_);
    add_token(TokenKind::kOpen, name, open + 1 - at_);
    scan(open + 1, *close, depth + 1);
    run_ = DecodedString(text_.file(), text_.place(*close));
    at_ = *close;
    add_token(TokenKind::kClose, name, *link - *close);
    return true;
  }

  void take_delimiters(std::string_view rest) {
    const char c = rest.front();
    const auto length = std::min(rest.find_first_not_of(c), rest.size());
    const char before = at_ == 0 ? ' ' : source_[at_ - 1];
    const char after = at_ + length < source_.size() ? source_[at_ + length] : ' ';
    const bool left = !is_html_space(after) && (!is_punctuation(after) || !is_word_byte(before));
    const bool right = !is_html_space(before) && (!is_punctuation(before) || !is_word_byte(after));
    const bool is_underscore = c == '_';
    end_run();
    delimiters_.push_back({.token = tokens_.size(),
                           .character = c,
                           .length = length,
                           .opens = left && (!is_underscore || !right || is_punctuation(before)),
                           .closes = right && (!is_underscore || !left || is_punctuation(after)),
                           .at = at_,
                           .closing = {},
                           .opening = {}});
    begin_run(at_ + length);
  }

  /// Pairs the runs of delimiters, and puts their tokens in their places.
  void pair_delimiters() {
    std::vector<std::size_t> openers;
    for (std::size_t i = 0; i < delimiters_.size(); ++i) {
      while (delimiters_[i].closes && delimiters_[i].length > 0 && close(i, openers)) {
      }
      if (delimiters_[i].opens && delimiters_[i].length > 0) {
        openers.push_back(i);
        if (openers.size() > kMostOpen) {  // so that time is linear
          openers.erase(openers.begin());
        }
      }
    }
    if (delimiters_.empty()) {
      return;
    }
    const auto first = static_cast<std::ptrdiff_t>(delimiters_.front().token);
    std::vector<InlineToken> rest(std::make_move_iterator(tokens_.begin() + first),
                                  std::make_move_iterator(tokens_.end()));
    tokens_.resize(delimiters_.front().token);
    std::size_t taken = 0;
    const auto take_to = [&](std::size_t token) {
      for (; taken < token - static_cast<std::size_t>(first); ++taken) {
        tokens_.push_back(std::move(rest[taken]));
      }
    };
    for (auto& run : delimiters_) {
      take_to(run.token);
      add_delimiters(run);
    }
    take_to(static_cast<std::size_t>(first) + rest.size());
  }

  /// Adds the tokens of a run: the tags that close, those of its characters that are text, and the tags that open.
  void add_delimiters(Delimiters& run) {
    std::ranges::move(run.closing, std::back_inserter(tokens_));
    if (run.length > 0) {
      const auto left = run.at + run.closed;
      DecodedString text(text_.file(), text_.place(left));
      text.add(source_.substr(left, run.length), text_.place(left + run.length));
      add_string_tokens(text, 0, run.length, tokens_);
    }
    std::move(run.opening.rbegin(), run.opening.rend(), std::back_inserter(tokens_));
  }

  /// Pairs a closing run with the last opening one of its character. Returns false if there is none.
  bool close(std::size_t closer, std::vector<std::size_t>& openers) {
    auto& closing = delimiters_[closer];
    const auto fits = [&](std::size_t i) {
      const auto& opening = delimiters_[i];
      return opening.character == closing.character && opening.length > 0 &&
             (closing.character != '~' || opening.length == closing.length);
    };
    const auto found = std::find_if(openers.rbegin(), openers.rend(), fits);
    if (found == openers.rend()) {
      return false;
    }
    const auto number = *found;
    openers.erase(found.base(), openers.end());  // those between them are text
    auto& opening = delimiters_[number];
    const auto length = closing.character == '~' ? closing.length : std::min({opening.length, closing.length, 2UL});
    const std::string mark(length, closing.character);
    const auto name = fmt::format("*{}", ++pairs_);
    opening.opening.push_back({.kind = TokenKind::kOpen, .name = name, .bytes = mark});
    closing.closing.push_back({.kind = TokenKind::kClose, .name = name, .bytes = mark});
    opening.length -= length;
    closing.length -= length;
    closing.closed += length;
    if (opening.length == 0) {
      openers.pop_back();
    }
    return true;
  }

  const DecodedString& text_;
  std::string_view source_;
  const std::set<std::string>& references_;
  std::vector<InlineToken> tokens_;
  std::vector<Delimiters> delimiters_;
  DecodedString run_;
  std::size_t at_ = 0;
  std::size_t pairs_ = 0;
};

bool begins_list_or_heading(std::string_view line) {
  const auto marker = std::min(line.find_first_of(" \t\r\n"), line.size());
  const auto word = line.substr(0, marker);
  const bool is_number = word.size() > 1 && word.size() < 11 && (word.back() == '.' || word.back() == ')') &&
                         word.find_first_not_of("0123456789") == word.size() - 1;
  const bool is_heading = word.size() < 7 && word.find_first_not_of('#') == std::string_view::npos;
  return !word.empty() && (is_number || is_heading || word == "-" || word == "+" || word == "*" || word[0] == '>');
}

/// Returns a line with a backslash in front of the character that makes a marker of its beginning.
std::string escape_line_start(std::string_view line) {
  if (!begins_list_or_heading(line)) {
    return std::string(line);
  }
  const bool is_number = line[0] >= '0' && line[0] <= '9';
  const auto place = is_number ? line.find_first_of(".)") : 0;
  return fmt::format("{}\\{}", line.substr(0, place), line.substr(place));
}

bool needs_backslash(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char before = at == 0 ? ' ' : text[at - 1];
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  switch (c) {
    case '\\':
      return is_punctuation(after) || at + 1 == text.size();
    case '`':
      return true;
    case '*':
    case '~':
      return !is_html_space(before) || !is_html_space(after);
    case '_':
      return !(is_word_byte(before) && is_word_byte(after)) && !(is_html_space(before) && is_html_space(after));
    case '<':
      return markup_length(text.substr(at)) > 0 || at + 1 == text.size();
    case '[':
      return text.substr(at, kLongestTag).find("](") != std::string_view::npos ||
             text.substr(at, kLongestTag).find("][") != std::string_view::npos;
    case '&':
      return reference_length(text.substr(at)) > 0;
    default:
      return false;
  }
}

}  // namespace

std::vector<InlineToken> markdown_tokens(const DecodedString& text, const std::set<std::string>& references) {
  return MarkdownScanner(text, references).scan();
}

std::string escape_markdown(std::string_view text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (needs_backslash(text, at)) {
      escaped += '\\';
    }
    escaped += text[at];
    if (text[at] == '\n') {
      const auto first = std::min(text.find_first_not_of(" \t", at + 1), text.size());
      const auto end = std::min(text.find('\n', first), text.size());
      if (begins_list_or_heading(text.substr(first, end - first)) && text[first] != '*') {
        const auto line = escape_line_start(text.substr(first, end - first));
        const auto backslash = line.find('\\');
        escaped += text.substr(at + 1, first - at - 1);
        escaped += line.substr(0, backslash + 2);
        at = first + backslash;
      }
    }
  }
  return escaped;
}

std::string escape_markdown_cell(std::string_view text) { return replace_all(escape_markdown(text), "|", "\\|"); }

std::string escape_markdown_start(std::string paragraph) { return escape_line_start(paragraph); }

}  // namespace translate::tools

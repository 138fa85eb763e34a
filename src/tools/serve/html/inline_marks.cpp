#include "serve/html/inline_marks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "serve/html/markup.h"

namespace translate::tools {

namespace {

/// Elements that begin and end a text of their own: all that browsers do not set in a line.
constexpr std::array<std::string_view, 75> kBlocks = {
    "address", "article",  "aside",      "audio",    "blockquote", "body",     "button",  "canvas",   "caption",
    "center",  "col",      "colgroup",   "dd",       "details",    "dialog",   "dir",     "div",      "dl",
    "dt",      "fieldset", "figcaption", "figure",   "footer",     "form",     "frame",   "frameset", "h1",
    "h2",      "h3",       "h4",         "h5",       "h6",         "head",     "header",  "hgroup",   "hr",
    "html",    "iframe",   "legend",     "li",       "link",       "main",     "math",    "menu",     "meta",
    "nav",     "noembed",  "noframes",   "noscript", "ol",         "optgroup", "option",  "p",        "plaintext",
    "pre",     "script",   "search",     "section",  "select",     "style",    "summary", "svg",      "table",
    "tbody",   "td",       "template",   "textarea", "tfoot",      "th",       "thead",   "title",    "tr",
    "ul",      "video",    "xmp"};
constexpr std::array<std::string_view, 12> kVoid = {"area",  "base",   "bgsound", "br",     "embed", "img",
                                                    "input", "keygen", "param",   "source", "track", "wbr"};

enum class TokenKind { kText, kSpace, kOpen, kClose, kAlone, kKept, kBlock };

/// A part of the HTML between block elements.
struct Token {
  TokenKind kind;
  std::string name;   ///< of an element, in small letters
  std::string bytes;  ///< as in the HTML; of a text with its own white space
};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

Token tag_token(std::string_view bytes) {
  Token token{.kind = TokenKind::kAlone, .name = element_name(bytes), .bytes = std::string(bytes)};
  if (token.name.empty() || is_one_of(token.name, kVoid)) {
    return token;
  }
  if (is_one_of(token.name, kBlocks)) {
    token.kind = TokenKind::kBlock;
  } else {
    token.kind = bytes.starts_with("</") ? TokenKind::kClose : TokenKind::kOpen;
  }
  return token;
}

/// Takes apart what stands between two texts.
std::vector<Token> tokens_of(std::string_view between) {
  std::vector<Token> tokens;
  while (!between.empty()) {
    std::size_t length = between.front() == '<' ? markup_length(between) : 0;
    if (is_html_space(between.front())) {
      length = static_cast<std::size_t>(std::ranges::find_if_not(between, is_html_space) - between.begin());
      tokens.push_back({.kind = TokenKind::kSpace, .name = "", .bytes = std::string(between.substr(0, length))});
    } else if (length > 0) {
      tokens.push_back(tag_token(between.substr(0, length)));
    } else {
      length = std::max<std::size_t>(between.find_first_of("< \t\n\f\r", 1), 1);
      length = std::min(length, between.size());
      tokens.push_back({.kind = TokenKind::kKept, .name = "", .bytes = std::string(between.substr(0, length))});
    }
    between.remove_prefix(length);
  }
  return tokens;
}

bool is_text(const Token& token) { return token.kind == TokenKind::kText; }
bool is_space(const Token& token) { return token.kind == TokenKind::kSpace; }

std::string bytes_of(std::span<const Token> tokens) {
  std::string bytes;
  for (const auto& token : tokens) {
    bytes += token.bytes;
  }
  return bytes;
}

/// Makes a text with marks of tokens, at least one of which is a text.
class MarkedText {
 public:
  /// Returns false if elements are nested too deeply.
  bool read(std::span<Token> tokens) {
    attach_spaces(tokens);
    for (const auto& token : tokens) {
      bytes_ += token.bytes;
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
  static void attach_spaces(std::span<Token> tokens) {
    const auto first = std::ranges::find_if(tokens, is_text);
    for (auto token = tokens.begin(); token != first; ++token) {
      if (token->kind == TokenKind::kSpace && token != tokens.begin()) {
        std::prev(token)->bytes += std::exchange(token->bytes, "");
      }
    }
    for (auto token = tokens.rbegin(); token != tokens.rend() && !is_text(*token); ++token) {
      if (token->kind == TokenKind::kSpace && token != tokens.rbegin()) {
        std::prev(token)->bytes.insert(0, std::exchange(token->bytes, ""));
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

  void read(const Token& token) {
    switch (token.kind) {
      case TokenKind::kText:
        if (divides_words_ && !text_.empty() && !is_html_space(text_.back())) {
          text_ += ' ';
        }
        divides_words_ = false;
        text_ += token.bytes;
        break;
      case TokenKind::kSpace:
        add_space(token.bytes);
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
  void add_space(const std::string& bytes) {
    if (text_.empty() || !is_html_space(text_.back()) || marks_.empty()) {
      text_ += bytes;
      return;
    }
    auto& last = marks_[last_tag_];
    (last.after.empty() ? last.before : last.after) += bytes;
  }

  std::size_t add(const Token& token) {
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

  void close(const Token& token) {
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

std::vector<Token> tokens_of(const TextParts& parts) {
  auto tokens = tokens_of(parts.between.front());
  for (std::size_t i = 0; i < parts.texts.size(); ++i) {
    tokens.push_back({.kind = TokenKind::kText, .name = "", .bytes = apply_spacing(parts.texts[i], parts.spacing[i])});
    std::ranges::move(tokens_of(parts.between[i + 1]), std::back_inserter(tokens));
  }
  return tokens;
}

/// Adds the tokens between two block elements: as a text with marks, or several texts if they are nested too deeply.
void add_run(std::span<Token> tokens, TextParts& parts) {
  const auto keep = [&](std::span<const Token> kept) { parts.between.back() += bytes_of(kept); };
  const auto add = [&](std::string_view text) {
    TextSpacing spacing;
    parts.texts.push_back(take_spacing(text, spacing));
    parts.spacing.push_back(std::move(spacing));
    parts.marks.emplace_back();
    parts.between.emplace_back();
  };
  if (std::ranges::none_of(tokens, is_text)) {
    return keep(tokens);
  }
  const auto begin = std::ranges::find_if_not(tokens, is_space);
  const auto end = std::find_if_not(tokens.rbegin(), tokens.rend(), is_space).base();
  keep({tokens.begin(), begin});
  MarkedText marked;
  if (marked.read({begin, end})) {
    add(marked.text());
    parts.marks.back() = marked.marks_in(parts.texts.back());
  } else {
    for (const auto& token : std::span(begin, end)) {
      is_text(token) ? add(token.bytes) : keep({&token, 1});
    }
  }
  keep({end, tokens.end()});
}

}  // namespace

TextParts join_inline_texts(const TextParts& parts) {
  auto tokens = tokens_of(parts);
  TextParts joined{.texts = {}, .between = {""}};
  const std::span all(tokens);
  for (std::size_t begin = 0; begin < all.size();) {
    const auto is_block = [](const Token& token) { return token.kind == TokenKind::kBlock; };
    const auto end = static_cast<std::size_t>(
        std::find_if(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(), is_block) - all.begin());
    add_run(all.subspan(begin, end - begin), joined);
    if (end < all.size()) {
      joined.between.back() += all[end].bytes;
    }
    begin = end + 1;
  }
  return joined;
}

}  // namespace translate::tools

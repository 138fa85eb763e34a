#include "documents/html/inline_marks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/html/html_texts.h"
#include "documents/markup.h"

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

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

InlineToken tag_token(std::string_view bytes) {
  InlineToken token{.kind = TokenKind::kAlone, .name = element_name(bytes), .bytes = std::string(bytes)};
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

namespace {

/// Takes apart what stands between two texts.
std::vector<InlineToken> tokens_of(std::string_view between) {
  std::vector<InlineToken> tokens;
  while (!between.empty()) {
    std::size_t length = between.front() == '<' ? markup_length(between) : 0;
    if (is_html_space(between.front())) {
      length = static_cast<std::size_t>(std::ranges::find_if_not(between, is_html_space) - between.begin());
      const std::string space(between.substr(0, length));
      tokens.push_back({.kind = TokenKind::kSpace, .bytes = space, .original = space});
    } else if (length > 0) {
      tokens.push_back(tag_token(between.substr(0, length)));
    } else {
      length = std::max<std::size_t>(between.find_first_of("< \t\n\f\r", 1), 1);
      length = std::min(length, between.size());
      tokens.push_back({.kind = TokenKind::kKept, .bytes = std::string(between.substr(0, length))});
    }
    between.remove_prefix(length);
  }
  return tokens;
}

std::vector<InlineToken> tokens_of(const TextParts& parts) {
  auto tokens = tokens_of(parts.between.front());
  for (std::size_t i = 0; i < parts.texts.size(); ++i) {
    tokens.push_back({.kind = TokenKind::kText,
                      .bytes = apply_spacing(parts.texts[i], parts.spacing[i]),
                      .original = parts.writing[i].original});
    std::ranges::move(tokens_of(parts.between[i + 1]), std::back_inserter(tokens));
  }
  return tokens;
}

}  // namespace

TextParts join_inline_texts(const TextParts& parts) {
  auto tokens = tokens_of(parts);
  TextParts joined{.texts = {}, .between = {""}};
  const std::span all(tokens);
  for (std::size_t begin = 0; begin < all.size();) {
    const auto is_block = [](const InlineToken& token) { return token.kind == TokenKind::kBlock; };
    const auto end = static_cast<std::size_t>(
        std::find_if(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(), is_block) - all.begin());
    add_inline_text(all.subspan(begin, end - begin), {.escape = escape_html}, joined);
    if (end < all.size()) {
      joined.keep(all[end].bytes);
    }
    begin = end + 1;
  }
  return joined;
}

}  // namespace translate::tools

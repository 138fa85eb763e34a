// HTML: the parser finds the texts of a document, which are then split into parts.

#include "documents/html/html_texts.h"

#include <gumbo.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/file_parts.h"
#include "documents/html/html_tree.h"
#include "documents/markup.h"
#include "documents/text_parts.h"

namespace translate::tools {

namespace {

constexpr GumboTag kTagless[] = {GUMBO_TAG_TITLE, GUMBO_TAG_TEXTAREA};

/// The bytes of an HTML text that hold words to translate, or words that are marked as untranslatable. They may contain
/// tags that the parser ignored.
struct HtmlText {
  std::size_t begin;
  std::size_t end;
  bool translated;  ///< not the content of <code>, of an element with translate="no", ...
  bool has_tags;    ///< tags in it are tags (unlike in <title> and <textarea>)
};

/// A node to be visited.
struct Pending {
  const GumboNode* node;
  HtmlScope scope;
  bool has_tags;
};

class TextCollector {
 public:
  TextCollector(std::string_view html, EditableRegions editable) : html_(html), editable_(editable) {}

  std::vector<HtmlText> collect(const GumboNode& document) {
    pending_ = {{.node = &document, .scope = {}, .has_tags = true}};
    while (!pending_.empty()) {
      const auto next = pending_.back();
      pending_.pop_back();
      look_at(next);
    }
    std::ranges::sort(texts_, {}, &HtmlText::begin);
    for (std::size_t i = 1; i < texts_.size(); ++i) {  // so that the texts do not overlap
      texts_[i - 1].end = std::min(texts_[i - 1].end, texts_[i].begin);
    }
    return std::move(texts_);
  }

 private:
  void look_at(const Pending& next) {
    const auto& node = *next.node;
    if (node.type == GUMBO_NODE_TEXT) {
      add(next);
    } else if (is_element(node) || node.type == GUMBO_NODE_DOCUMENT) {
      descend(next);
    }
  }

  void descend(Pending next) {
    const auto& node = *next.node;
    if (is_element(node)) {
      const auto& element = node.v.element;
      if (!is_read(element)) {
        return;
      }
      next.scope = scope_in(element, next.scope);
      next.has_tags = !(element.tag_namespace == GUMBO_NAMESPACE_HTML &&
                        std::ranges::find(kTagless, element.tag) != std::end(kTagless));
    }
    const auto& inside = children(node);
    for (unsigned int i = 0; i < inside.length; ++i) {
      pending_.push_back(
          {.node = static_cast<const GumboNode*>(inside.data[i]), .scope = next.scope, .has_tags = next.has_tags});
    }
  }

  void add(const Pending& next) {
    const auto& original = next.node->v.text.original_text;
    const std::less<const char*> before;
    const auto* const end = html_.data() + html_.size();
    if (original.length == 0 || before(original.data, html_.data()) || !before(original.data, end)) {
      return;  // made by the parser
    }
    const auto begin = static_cast<std::size_t>(original.data - html_.data());
    texts_.push_back({.begin = begin,
                      .end = begin + std::min(original.length, html_.size() - begin),
                      .translated = next.scope.has_texts(editable_),
                      .has_tags = next.has_tags});
  }

  std::string_view html_;
  EditableRegions editable_;
  std::vector<HtmlText> texts_;
  std::vector<Pending> pending_;
};

/// Returns the texts of a document or a fragment, in the order of their bytes, without overlap. They are parsed as
/// browsers do it: there is no invalid HTML. Content that no one reads has no text: markup, comments, scripts, style
/// sheets, formulas. Throws HtmlTooDeep if the tree takes more than html_limits.
std::vector<HtmlText> html_texts(std::string_view html, EditableRegions editable) {
  if (html.empty()) {
    return {};
  }
  HtmlMemory memory(html_limits(html));
  const auto* document = parse_html(html, GUMBO_TAG_LAST, memory);
  return TextCollector(html, editable).collect(*document);
}

/// Returns the text with U+FFFD in place of references to characters beyond Unicode's last one, as HTML reads them.
/// The parser computes the numbers in 32 bits: a larger one could become any byte, or end the text.
std::string without_large_references(std::string_view text) {
  constexpr std::uint32_t kLast = 0x10FFFF;
  std::string result;
  for (auto at = text.find("&#"); at != std::string_view::npos; at = text.find("&#")) {
    const bool is_hex = at + 2 < text.size() && (text[at + 2] == 'x' || text[at + 2] == 'X');
    const auto* const digits = text.data() + at + (is_hex ? 3 : 2);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits, text.data() + text.size(), number, is_hex ? 16 : 10);
    const auto length = static_cast<std::size_t>(end - text.data());
    const bool is_large = error == std::errc::result_out_of_range || number > kLast;
    result += is_large ? std::string(text.substr(0, at)) + "\uFFFD" : std::string(text.substr(0, length));
    text.remove_prefix(is_large && text.substr(length).starts_with(';') ? length + 1 : length);
  }
  return result + std::string(text);
}

}  // namespace

std::string decode_html(std::string_view given) {
  if (given.find('&') == std::string_view::npos) {
    return std::string(given);
  }
  const auto text = without_large_references(given);
  HtmlMemory memory(html_limits(text));
  const auto* node = parse_html(text, GUMBO_TAG_TITLE, memory);  // a title has references, but no tags
  std::string decoded;
  std::vector<const GumboNode*> pending = {node};
  while (!pending.empty()) {
    node = pending.back();
    pending.pop_back();
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) {
      decoded += node->v.text.text;
    } else if (is_element(*node) || node->type == GUMBO_NODE_DOCUMENT) {
      const auto& inside = children(*node);
      for (auto i = inside.length; i > 0; --i) {
        pending.push_back(static_cast<const GumboNode*>(inside.data[i - 1]));
      }
    }
  }
  return decoded;
}

std::string escape_html(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

namespace {

/// Splits an HTML text, from the front.
class HtmlSplitter {
 public:
  HtmlSplitter(std::string_view html, EditableRegions editable) : html_(html), editable_(editable) {}

  TextParts split() {
    for (const auto& text : html_texts(html_, editable_)) {
      if (text.translated) {
        parts_.keep_to(text.begin);
        take(text);
      }
    }
    return parts_.finish();
  }

 private:
  /// Takes the text, without the tags in it that the parser ignored.
  void take(const HtmlText& text) {
    for (auto i = text.begin; i < text.end; ++i) {
      if (!text.has_tags || html_[i] != '<') {
        continue;
      }
      if (const auto length = markup_length(html_.substr(i, text.end - i)); length > 0) {
        take_run(i);
        parts_.keep_to(i + length);
        i += length - 1;
      }
    }
    take_run(text.end);
  }

  /// Takes the text up to `end`; white space around it stays.
  void take_run(std::size_t end) {
    const auto run = html_.substr(parts_.at(), end - parts_.at());
    const auto* const first = std::ranges::find_if_not(run, is_html_space);
    parts_.keep_to(parts_.at() + static_cast<std::size_t>(first - run.begin()));
    auto words = html_.substr(parts_.at(), end - parts_.at());
    while (!words.empty() && is_html_space(words.back())) {
      words.remove_suffix(1);
    }
    TextSpacing spacing;
    auto text = decode_html(take_spacing(words, spacing));
    std::ranges::replace_if(text, is_html_space, ' ');  // from references
    if (!is_blank(text)) {
      parts_.texts.push_back(std::move(text));
      parts_.spacing.push_back(std::move(spacing));
      parts_.writing.push_back({.original = std::string(words), .escape = escape_html});
      parts_.between.emplace_back();
      parts_.skip_to(parts_.at() + words.size());
    }
    parts_.keep_to(end);
  }

  std::string_view html_;
  EditableRegions editable_;
  FileParts parts_{html_};
};

}  // namespace

TextParts split_html(std::string_view html, EditableRegions editable) { return HtmlSplitter(html, editable).split(); }

}  // namespace translate::tools

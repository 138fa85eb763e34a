#include "documents/html/html_attributes.h"

#include <gumbo.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/utf8.h"
#include "documents/html/html_texts.h"
#include "documents/html/html_tree.h"

namespace translate::tools {

namespace {

constexpr std::string_view kTextAttributes[] = {"alt", "title", "placeholder", "aria-label"};

/// An element to be visited.
struct PendingElement {
  const GumboNode* node;
  HtmlScope scope;
};

class AttributeFinder {
 public:
  AttributeFinder(std::string_view html, EditableRegions editable) : html_(html), editable_(editable) {}

  HtmlAttributes find(const GumboNode& document) {
    std::vector<PendingElement> pending = {{.node = &document, .scope = {}}};
    while (!pending.empty()) {
      auto [node, scope] = pending.back();
      pending.pop_back();
      if (is_element(*node)) {
        const auto& element = node->v.element;
        const auto inner = scope_in(element, scope);
        look_at(element, inner.translated && scope.has_texts(editable_));
        scope = inner;
        if (!is_read(element)) {
          continue;
        }
      } else if (node->type != GUMBO_NODE_DOCUMENT) {
        continue;
      }
      const auto& inside = children(*node);
      for (unsigned int i = 0; i < inside.length; ++i) {
        pending.push_back({.node = static_cast<const GumboNode*>(inside.data[i]), .scope = scope});
      }
    }
    std::ranges::sort(found_.texts, {}, &HtmlAttribute::begin);
    const auto twice = std::ranges::unique(found_.texts, {}, &HtmlAttribute::begin);  // of elements that are put twice
    found_.texts.erase(twice.begin(), twice.end());
    return std::move(found_);
  }

 private:
  /// Returns where a part of the parser's input lies; nothing if the parser made it.
  [[nodiscard]] std::optional<std::size_t> offset_of(const GumboStringPiece& piece) const {
    const std::less<const char*> before;
    if (piece.length == 0 || before(piece.data, html_.data()) || !before(piece.data, html_.data() + html_.size())) {
      return std::nullopt;
    }
    const auto offset = static_cast<std::size_t>(piece.data - html_.data());
    return offset + piece.length <= html_.size() ? std::optional(offset) : std::nullopt;
  }

  void add(const GumboElement& element, const char* name, std::vector<HtmlAttribute>& to) const {
    const auto* attribute = gumbo_get_attribute(&element.attributes, name);
    const auto offset = attribute == nullptr ? std::nullopt : offset_of(attribute->original_value);
    if (offset) {
      to.push_back({.begin = *offset,
                    .end = *offset + attribute->original_value.length,
                    .value = replace_invalid_utf8(attribute->value)});
    }
  }

  void look_at(const GumboElement& element, bool translated) {
    if (element.tag == GUMBO_TAG_HTML) {
      add(element, "lang", found_.languages);
      add(element, "xml:lang", found_.languages);
      add(element, "dir", found_.directions);
      if (const auto tag = offset_of(element.original_tag); tag && html_.substr(*tag).starts_with('<')) {
        found_.html_name_end = *tag + std::string_view("<html").size();
      }
    }
    if (!translated) {
      return;
    }
    for (const auto name : kTextAttributes) {
      add(element, name.data(), found_.texts);
    }
    const auto* const name = gumbo_get_attribute(&element.attributes, "name");
    if (element.tag == GUMBO_TAG_META && name != nullptr && ascii_lower(name->value) == "description") {
      add(element, "content", found_.texts);
    }
  }

  std::string_view html_;
  EditableRegions editable_;
  HtmlAttributes found_;
};

}  // namespace

HtmlAttributes find_html_attributes(std::string_view html, EditableRegions editable) {
  if (html.empty()) {
    return {};
  }
  HtmlMemory memory(html_limits(html));
  const auto* document = parse_html(html, GUMBO_TAG_LAST, memory);
  return AttributeFinder(html, editable).find(*document);
}

}  // namespace translate::tools

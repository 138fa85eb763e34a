#include "documents/html/html_tree.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "core/utf8.h"
#include "documents/html/html_texts.h"
#include "documents/markup.h"

namespace translate::tools {

namespace {

constexpr GumboTag kUnspoken[] = {GUMBO_TAG_CODE, GUMBO_TAG_PRE, GUMBO_TAG_KBD, GUMBO_TAG_SAMP,
                                  GUMBO_TAG_VAR,  GUMBO_TAG_XMP, GUMBO_TAG_MATH};
constexpr GumboTag kUnread[] = {GUMBO_TAG_SCRIPT,  GUMBO_TAG_STYLE,    GUMBO_TAG_IFRAME,
                                GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES, GUMBO_TAG_PLAINTEXT};

bool is_one_of(GumboTag tag, std::span<const GumboTag> tags) { return std::ranges::find(tags, tag) != tags.end(); }

/// Whether an element has a class, as class="..." lists them.
bool has_class(const GumboElement& element, std::string_view name) {
  const auto* attribute = gumbo_get_attribute(&element.attributes, "class");
  std::string_view classes = attribute == nullptr ? "" : attribute->value;
  while (!classes.empty()) {
    const auto length = static_cast<std::size_t>(std::ranges::find_if(classes, is_html_space) - classes.begin());
    if (classes.substr(0, length) == name) {
      return true;
    }
    classes.remove_prefix(std::min(length + 1, classes.size()));
  }
  return false;
}

/// Returns the value of translate="..." for an element and its content; class="notranslate" counts as "no".
std::optional<bool> translate_attribute(const GumboElement& element) {
  if (has_class(element, "notranslate")) {
    return false;
  }
  const auto* attribute = gumbo_get_attribute(&element.attributes, "translate");
  if (attribute == nullptr) {
    return std::nullopt;
  }
  const auto value = ascii_lower(attribute->value);
  if (value == "no") {
    return false;
  }
  return value == "yes" || value.empty() ? std::optional(true) : std::nullopt;
}

/// Returns what contenteditable="..." says of an element and its content.
std::optional<bool> editable_attribute(const GumboElement& element) {
  const auto* attribute = gumbo_get_attribute(&element.attributes, "contenteditable");
  if (attribute == nullptr) {
    return std::nullopt;
  }
  const auto value = ascii_lower(attribute->value);
  if (value == "false") {
    return false;
  }
  return value.empty() || value == "true" || value == "plaintext-only" ? std::optional(true) : std::nullopt;
}

}  // namespace

HtmlLimits html_limits(std::string_view html) {
  constexpr std::int64_t kLeast = 1000;      // milliseconds
  constexpr std::int64_t kOfMebibyte = 250;  // milliseconds; a page takes less than 50
  return {.memory = std::max(std::min(kHtmlMemory + 100 * html.size(), kMostHtmlMemory), 16 * html.size()),
          .milliseconds = kLeast + kOfMebibyte * static_cast<std::int64_t>(html.size() >> 20U)};
}

const GumboNode* parse_html(std::string_view html, GumboTag context, HtmlMemory& memory) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = HtmlMemory::allocate;
  options.deallocator = HtmlMemory::keep;
  options.userdata = &memory;
  options.max_errors = 0;
  options.fragment_context = context;
  if (setjmp(memory.exhausted) != 0) {  // NOLINT(cert-err52-cpp)
    throw HtmlTooDeep();
  }
  return gumbo_parse_with_options(&options, html.data(), html.size())->document;
}

bool is_element(const GumboNode& node) { return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE; }

const GumboVector& children(const GumboNode& node) {
  return node.type == GUMBO_NODE_DOCUMENT ? node.v.document.children : node.v.element.children;
}

bool is_read(const GumboElement& element) { return !is_one_of(element.tag, kUnread); }

HtmlScope scope_in(const GumboElement& element, const HtmlScope& outer) {
  const auto wanted = translate_attribute(element);
  return {.translated = wanted.value_or(outer.translated && !is_one_of(element.tag, kUnspoken)),
          .editable = wanted != true && editable_attribute(element).value_or(outer.editable)};
}

}  // namespace translate::tools

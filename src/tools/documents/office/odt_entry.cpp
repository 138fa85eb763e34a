// An entry of OpenDocument: paragraphs with elements for what has a format of its own.

#include <string>
#include <utility>
#include <vector>

#include "documents/html/html_texts.h"
#include "documents/inline_tokens.h"
#include "documents/office/office_parts.h"
#include "documents/parts_document.h"
#include "documents/xml/xml_file.h"

namespace translate::tools {

namespace {

InlineElement odt_element(const XmlEvent& start) {
  const bool has_text = start.name == "text:span" || start.name == "text:a";
  return {.kind = has_text ? InlineElement::Kind::kContent : InlineElement::Kind::kWhole};
}

}  // namespace

std::unique_ptr<Document> read_odt_entry(const DocumentInput& entry) {
  const XmlFile file(entry);
  const auto& events = file.events();
  TextParts parts{.texts = {}, .between = {""}};
  std::size_t at = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != XmlEvent::Kind::kStart || (events[i].name != "text:p" && events[i].name != "text:h")) {
      continue;
    }
    const auto end = events[i].partner;
    parts.keep(file.bytes().substr(at, events[i].end - at));
    std::vector<InlineToken> tokens;
    add_xml_tokens(file, i + 1, end, odt_element, add_xml_text, tokens);
    for (auto& token : tokens) {  // they divide words
      const bool is_space = token.bytes.starts_with("<text:line-break") || token.bytes.starts_with("<text:tab") ||
                            token.bytes.starts_with("<text:s/") || token.bytes.starts_with("<text:s ");
      token.name = token.kind == TokenKind::kAlone && is_space ? "br" : token.name;
    }
    add_inline_text(tokens, {.escape = escape_html}, parts);
    at = events[end].begin;
    i = end;
  }
  parts.keep(file.bytes().substr(at));
  return std::make_unique<PartsDocument>(std::move(parts));
}

}  // namespace translate::tools

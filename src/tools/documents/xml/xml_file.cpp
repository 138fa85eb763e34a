#include "documents/xml/xml_file.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/markup.h"
#include "documents/parts_document.h"

namespace translate::tools {

namespace {

/// Parses a file and collects its events.
class XmlParser {
 public:
  XmlParser(const DocumentInput& input, std::vector<XmlEvent>& events)
      : input_(input), events_(events), parser_(XML_ParserCreate("UTF-8"), XML_ParserFree) {
    if (!parser_) {
      throw std::bad_alloc();
    }
    auto* const parser = parser_.get();
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetCdataSectionHandler(parser, on_cdata_start, on_cdata_end);
    XML_SetCommentHandler(parser, [](void* self, const XML_Char*) { of(self).add_other(); });
    XML_SetProcessingInstructionHandler(parser,
                                        [](void* self, const XML_Char*, const XML_Char*) { of(self).add_other(); });
    XML_SetXmlDeclHandler(parser, on_declaration);
    XML_SetEntityDeclHandler(parser, on_entity);
    XML_SetSkippedEntityHandler(parser, [](void* self, const XML_Char* name, int) {
      of(self).refuse(fmt::format("the entity &{}; is not one of XML's own; expected the character itself", name));
    });
  }

  void parse() {
    auto* const parser = parser_.get();
    const auto status = XML_Parse(parser, input_.bytes.data(), static_cast<int>(input_.bytes.size()), XML_TRUE);
    if (refusal_) {
      throw document_error(input_, refused_at_, *refusal_);
    }
    if (status != XML_STATUS_OK) {
      const auto code = XML_GetErrorCode(parser);
      if (code == XML_ERROR_NO_MEMORY) {
        throw std::bad_alloc();
      }
      throw document_error(input_, place(), fmt::format("not well-formed XML: {}", XML_ErrorString(code)));
    }
  }

 private:
  static XmlParser& of(void* self) { return *static_cast<XmlParser*>(self); }

  [[nodiscard]] std::size_t place() const {
    const auto index = XML_GetCurrentByteIndex(parser_.get());
    return index < 0 ? 0 : std::min(static_cast<std::size_t>(index), input_.bytes.size());
  }
  [[nodiscard]] std::size_t place_end() const {
    return std::min(place() + static_cast<std::size_t>(XML_GetCurrentByteCount(parser_.get())), input_.bytes.size());
  }

  void refuse(const std::string& problem) {
    if (!refusal_) {
      refusal_ = problem;
      refused_at_ = place();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  static void on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    auto& parser = of(self);
    XmlEvent event{.kind = XmlEvent::Kind::kStart, .begin = parser.place(), .end = parser.place_end(), .name = name};
    for (; *attributes != nullptr; attributes += 2) {
      event.attributes.emplace_back(attributes[0], attributes[1]);
    }
    parser.open_.push_back(parser.events_.size());
    parser.events_.push_back(std::move(event));
  }

  static void on_end(void* self, const XML_Char* name) {
    auto& parser = of(self);
    const auto start = parser.open_.back();
    parser.open_.pop_back();
    parser.events_[start].partner = parser.events_.size();
    parser.events_.push_back({.kind = XmlEvent::Kind::kEnd,
                              .begin = parser.place(),
                              .end = parser.place_end(),
                              .name = name,
                              .partner = start});
  }

  static void on_text(void* self, const XML_Char* text, int length) {
    auto& parser = of(self);
    const std::string_view added(text, static_cast<std::size_t>(length));
    if (parser.in_cdata_) {
      parser.events_.back().text += added;
      return;
    }
    parser.events_.push_back({.kind = XmlEvent::Kind::kText,
                              .begin = parser.place(),
                              .end = parser.place_end(),
                              .text = std::string(added)});
  }

  static void on_cdata_start(void* self) {
    auto& parser = of(self);
    parser.in_cdata_ = true;
    parser.events_.push_back({.kind = XmlEvent::Kind::kCdata, .begin = parser.place(), .end = parser.place_end()});
  }

  static void on_cdata_end(void* self) {
    auto& parser = of(self);
    parser.in_cdata_ = false;
    parser.events_.back().end = parser.place_end();
  }

  void add_other() { events_.push_back({.kind = XmlEvent::Kind::kOther, .begin = place(), .end = place_end()}); }

  static void on_declaration(void* self, const XML_Char* /*version*/, const XML_Char* encoding, int /*standalone*/) {
    if (encoding != nullptr && ascii_lower(encoding) != "utf-8" && ascii_lower(encoding) != "utf8") {
      of(self).refuse(fmt::format("declares the encoding {}; convert the file to UTF-8, and say so there", encoding));
    }
  }

  static void on_entity(void* self, const XML_Char* name, int /*is_parameter*/, const XML_Char* /*value*/,
                        int /*length*/, const XML_Char* /*base*/, const XML_Char* /*system*/,
                        const XML_Char* /*public_id*/, const XML_Char* /*notation*/) {
    of(self).refuse(fmt::format("defines the entity {}; files that define entities are not read", name));
  }

  const DocumentInput& input_;
  std::vector<XmlEvent>& events_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::vector<std::size_t> open_;
  bool in_cdata_ = false;
  std::optional<std::string> refusal_;
  std::size_t refused_at_ = 0;
};

/// Returns the bytes of an attribute in a start tag, with the white space in front of it; an empty range if it has
/// none.
std::pair<std::size_t, std::size_t> find_attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = 1; at < tag.size();) {
    const auto space = at;
    while (at < tag.size() && is_html_space(tag[at])) {
      ++at;
    }
    const auto begin = at;
    at = std::min(tag.find_first_of("= \t\r\n\f/>", at), tag.size());
    const auto found = tag.substr(begin, at - begin);
    const auto equals = std::min(tag.find_first_not_of(" \t\r\n\f", at), tag.size());
    if (equals < tag.size() && tag[equals] == '=') {
      const auto quote = std::min(tag.find_first_of("\"'", equals), tag.size() - 1);
      at = std::min(tag.find(tag[quote], quote + 1), tag.size() - 1) + 1;
      if (found == name) {
        return {space, at};
      }
    } else if (begin == at) {
      ++at;
    }
  }
  return {tag.size(), tag.size()};
}

std::string escape_attribute(std::string_view value) {
  return replace_all(replace_all(replace_all(value, "&", "&amp;"), "<", "&lt;"), "\"", "&quot;");
}

}  // namespace

std::string_view XmlEvent::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find_if(attributes, [&](const auto& pair) { return pair.first == wanted; });
  return found == attributes.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view XmlEvent::local_name() const {
  const auto colon = name.find(':');
  return std::string_view(name).substr(colon == std::string::npos ? 0 : colon + 1);
}

std::string_view language_of(const XmlEvent& start) {
  const auto code = start.attribute("xml:lang");
  return code.empty() ? start.attribute("lang") : code;
}

std::string primary_language(std::string_view code) { return ascii_lower(code.substr(0, code.find_first_of("-_"))); }

XmlFile::XmlFile(const DocumentInput& input) : bytes_(input.bytes) { XmlParser(input, events_).parse(); }

std::vector<std::size_t> XmlFile::children(std::size_t start) const {
  std::vector<std::size_t> found;
  for (auto i = start + 1; i < events_[start].partner; ++i) {
    if (events_[i].kind == XmlEvent::Kind::kStart) {
      found.push_back(i);
      i = events_[i].partner;
    }
  }
  return found;
}

std::size_t XmlFile::child(std::size_t start, std::string_view name) const {
  const auto inside = children(start);
  const auto found = std::ranges::find_if(inside, [&](std::size_t i) { return events_[i].local_name() == name; });
  return found == inside.end() ? 0 : *found;
}

bool XmlFile::has_text(std::size_t first, std::size_t last) const {
  for (auto i = first; i < last; ++i) {
    if (!is_blank(events_[i].text)) {
      return true;
    }
  }
  return false;
}

bool XmlFile::has_cdata(std::size_t first, std::size_t last) const {
  const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = events_.begin() + static_cast<std::ptrdiff_t>(last);
  return std::find_if(begin, end, [](const XmlEvent& event) { return event.kind == XmlEvent::Kind::kCdata; }) != end;
}

void add_xml_text(const DecodedString& text, std::vector<InlineToken>& tokens) {
  add_string_tokens(text, 0, text.text().size(), tokens);
}

namespace {

/// Adds one element or its end, and returns the index of the event behind what was added.
std::size_t add_element(const XmlFile& file, std::size_t at, InlineElement (*kind_of)(const XmlEvent&),
                        std::vector<InlineToken>& tokens) {
  const auto& event = file.events()[at];
  const std::string bytes(file.bytes(event));
  if (event.kind == XmlEvent::Kind::kEnd) {
    if (!bytes.empty()) {
      tokens.push_back({.kind = TokenKind::kClose, .name = event.name, .bytes = bytes});
    }
    return at + 1;
  }
  const auto& end = file.events()[event.partner];
  const auto [kind, pair] = kind_of(event);
  const bool is_empty = end.begin == end.end;
  if (kind == InlineElement::Kind::kContent && !is_empty) {
    tokens.push_back({.kind = TokenKind::kOpen, .name = event.name, .bytes = bytes});
    return at + 1;
  }
  InlineToken token{.kind = TokenKind::kAlone,
                    .name = event.name,
                    .bytes = std::string(file.bytes().substr(event.begin, end.end - event.begin))};
  if (kind == InlineElement::Kind::kOpens || kind == InlineElement::Kind::kCloses) {
    token.kind = kind == InlineElement::Kind::kOpens ? TokenKind::kOpen : TokenKind::kClose;
    token.name = "/" + pair;  // no element is called so
  }
  tokens.push_back(std::move(token));
  return event.partner + 1;
}

}  // namespace

void add_xml_tokens(const XmlFile& file, std::size_t first, std::size_t last,
                    InlineElement (*kind_of)(const XmlEvent& start),
                    void (*add_text)(const DecodedString& text, std::vector<InlineToken>& tokens),
                    std::vector<InlineToken>& tokens) {
  const auto& events = file.events();
  for (auto i = first; i < last;) {
    switch (events[i].kind) {
      case XmlEvent::Kind::kText: {
        DecodedString text(file.bytes(), events[i].begin);
        for (; i < last && events[i].kind == XmlEvent::Kind::kText; ++i) {
          text.add(events[i].text, events[i].end);
        }
        add_text(text, tokens);
        break;
      }
      case XmlEvent::Kind::kStart:
      case XmlEvent::Kind::kEnd:
        i = add_element(file, i, kind_of, tokens);
        break;
      default:
        tokens.push_back({.kind = TokenKind::kAlone, .bytes = std::string(file.bytes(events[i]))});
        ++i;
    }
  }
}

std::string with_attribute(std::string_view tag, std::string_view name, std::string_view value) {
  const auto [begin, end] = find_attribute(tag, name);
  const auto attribute = fmt::format("{}=\"{}\"", name, escape_attribute(value));
  if (begin < end) {
    const auto space = static_cast<std::size_t>(
        std::find_if_not(tag.begin() + static_cast<std::ptrdiff_t>(begin), tag.end(), is_html_space) - tag.begin());
    return fmt::format("{}{}{}", tag.substr(0, space), attribute, tag.substr(end));
  }
  auto tail = tag.ends_with("/>") ? tag.size() - 2 : tag.size() - 1;
  while (tail > 0 && is_html_space(tag[tail - 1])) {
    --tail;
  }
  return fmt::format("{} {}{}", tag.substr(0, tail), attribute, tag.substr(tail));
}

std::string without_attribute(std::string_view tag, std::string_view name) {
  const auto [begin, end] = find_attribute(tag, name);
  return fmt::format("{}{}", tag.substr(0, begin), tag.substr(end));
}

std::string_view indentation_before(std::string_view bytes, std::size_t at) {
  auto begin = at;
  while (begin > 0 && (bytes[begin - 1] == ' ' || bytes[begin - 1] == '\t')) {
    --begin;
  }
  if (begin > 0 && bytes[begin - 1] == '\n') {
    --begin;
    begin -= begin > 0 && bytes[begin - 1] == '\r' ? 1 : 0;
    return bytes.substr(begin, at - begin);
  }
  return {};
}

}  // namespace translate::tools

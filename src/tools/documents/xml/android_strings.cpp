#include "documents/xml/android_strings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/html/html_texts.h"
#include "documents/inline_tokens.h"
#include "documents/parts_document.h"
#include "documents/xml/xml_file.h"

namespace translate::tools {

namespace {

/// Puts a backslash before the characters that have a meaning in strings of Android.
std::string with_backslashes(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '"' || c == '\\') {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

/// Escapes text for a string of Android and for XML.
std::string escape_android(std::string_view text) { return with_backslashes(escape_html(text)); }

/// A string that begins with @ or ? would be a reference.
std::string without_reference(std::string text) {
  return text.starts_with('@') || text.starts_with('?') ? '\\' + text : text;
}

/// Adds a text whose escapes "\n" and "\t" part it, and whose quotes stand alone.
class AndroidText {
 public:
  AndroidText(const DecodedString& text, std::vector<InlineToken>& tokens)
      : text_(text), tokens_(tokens), run_(text.file(), text.place(0)) {}

  void add() {
    const std::string_view text = text_.text();
    while (at_ < text.size()) {
      if (text[at_] == '\\' && at_ + 1 < text.size()) {
        add_escape(text);
      } else if (text[at_] == '"') {
        add_token(TokenKind::kAlone, 1);
      } else {
        add_to_run(text.substr(at_, 1), 1);
      }
    }
    end_run();
  }

 private:
  void add_escape(std::string_view text) {
    const char next = text[at_ + 1];
    if (next == 'n' || next == 't') {
      add_token(TokenKind::kBlock, 2);
      return;
    }
    std::uint32_t number = 0;
    const auto* const digits = text.data() + std::min(at_ + 2, text.size());
    if (next == 'u' && text.size() >= at_ + 6 && std::from_chars(digits, digits + 4, number, 16).ptr == digits + 4) {
      add_to_run(encode_utf8(std::u32string(1, static_cast<char32_t>(number))), 6);
      return;
    }
    add_to_run(text.substr(at_ + 1, 1), 2);
  }

  void add_to_run(std::string_view decoded, std::size_t length) {
    at_ += length;
    run_.add(decoded, text_.place(at_));
  }

  void end_run() {
    add_string_tokens(run_, 0, run_.text().size(), tokens_);
    run_ = DecodedString(text_.file(), text_.place(at_));
  }

  void add_token(TokenKind kind, std::size_t length) {
    end_run();
    tokens_.push_back({.kind = kind, .bytes = std::string(text_.original(at_, at_ + length))});
    at_ += length;
    run_ = DecodedString(text_.file(), text_.place(at_));
  }

  const DecodedString& text_;
  std::vector<InlineToken>& tokens_;
  DecodedString run_;
  std::size_t at_ = 0;
};

void add_android_text(const DecodedString& text, std::vector<InlineToken>& tokens) { AndroidText(text, tokens).add(); }

InlineElement android_element(const XmlEvent& start) {
  const bool is_kept = start.name == "xliff:g" || start.attribute("translatable") == "false";
  return {.kind = is_kept ? InlineElement::Kind::kWhole : InlineElement::Kind::kContent};
}

/// Adds a string, which escapes such as "\n" part, unless they stand inside of an element.
void add_android_string(std::span<InlineToken> tokens, TextParts& parts) {
  std::size_t depth = 0;
  std::size_t begin = 0;
  const TextWriting writing{.escape = escape_android, .finish = without_reference};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    auto& token = tokens[i];
    depth += token.kind == TokenKind::kOpen ? 1 : 0;
    depth -= token.kind == TokenKind::kClose && depth > 0 ? 1 : 0;
    if (token.kind != TokenKind::kBlock) {
      continue;
    }
    if (depth > 0) {
      token.kind = TokenKind::kAlone;
      continue;
    }
    add_inline_text(tokens.subspan(begin, i - begin), writing, parts);
    parts.keep(token.bytes);
    begin = i + 1;
  }
  add_inline_text(tokens.subspan(begin), writing, parts);
}

/// Returns the CDATA section that is all of an element's content but white space; null if there is none.
const XmlEvent* only_section(const XmlFile& file, std::size_t start) {
  const XmlEvent* section = nullptr;
  for (auto i = start + 1; i < file.events()[start].partner; ++i) {
    const auto& event = file.events()[i];
    if (event.kind == XmlEvent::Kind::kCdata && section == nullptr) {
      section = &event;
    } else if (event.kind != XmlEvent::Kind::kText || !is_blank(event.text)) {
      return nullptr;
    }
  }
  return section;
}

/// Escapes text for a CDATA section in a string of Android.
std::string escape_section(std::string_view text) { return with_backslashes(replace_all(text, "]]>", "]] >")); }

/// Adds a CDATA section, whose tags are marks as those of other strings.
void add_section(const XmlFile& file, const XmlEvent& section, TextParts& parts) {
  constexpr std::string_view kBegin = "<![CDATA[";
  constexpr std::string_view kEnd = "]]>";
  const auto begin = section.begin + kBegin.size();
  const auto end = section.end - kEnd.size();
  DecodedString text(file.bytes(), begin);
  for (auto at = begin; at < end;) {
    const bool is_escape = file.bytes()[at] == '\\' && at + 1 < end;
    const char next = is_escape ? file.bytes()[at + 1] : file.bytes()[at];
    const auto length = is_escape ? 2U : 1U;
    text.add(is_escape && next == 'n' ? "\n" : std::string_view(file.bytes()).substr(at + length - 1, 1), at + length);
    at += length;
  }
  parts.keep(kBegin);
  add_string(text, {.escape = escape_section, .finish = without_reference}, parts);
  parts.keep(kEnd);
}

/// The text of an element that is a reference only, such as "@string/name".
bool is_reference(const XmlFile& file, std::size_t start) {
  std::string text;
  for (auto i = start + 1; i < file.events()[start].partner; ++i) {
    text += file.events()[i].text;
  }
  const auto trimmed = std::string_view(text).substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return (trimmed.starts_with('@') || trimmed.starts_with('?')) &&
         trimmed.substr(0, trimmed.find_last_not_of(" \t\r\n") + 1).find_first_of(" \t\r\n") ==
             std::string_view::npos &&
         trimmed.find('/') != std::string_view::npos;
}

}  // namespace

std::unique_ptr<Document> read_android_strings(DocumentInput input) {
  const XmlFile file(input);
  if (file.events().empty() || file.events().front().kind == XmlEvent::Kind::kText) {
    throw document_error(input, 0, "no <resources>; expected strings of Android");
  }
  const auto root = std::ranges::find(file.events(), XmlEvent::Kind::kStart, &XmlEvent::kind);
  if (root->name != "resources") {
    throw document_error(input, root->begin, "the element <" + root->name + ">; expected <resources>");
  }
  TextParts parts{.texts = {}, .between = {""}};
  std::size_t at = 0;
  const auto add = [&](std::size_t start) {
    const auto& event = file.events()[start];
    const auto& end = file.events()[event.partner];
    if (event.attribute("translatable") == "false" || is_reference(file, start)) {
      return;
    }
    parts.keep(file.bytes().substr(at, event.end - at));
    if (const auto* section = only_section(file, start)) {
      parts.keep(file.bytes().substr(event.end, section->begin - event.end));
      add_section(file, *section, parts);
      parts.keep(file.bytes().substr(section->end, end.begin - section->end));
    } else {
      std::vector<InlineToken> tokens;
      add_xml_tokens(file, start + 1, event.partner, android_element, add_android_text, tokens);
      add_android_string(tokens, parts);
    }
    at = end.begin;
  };
  for (const auto start : file.children(static_cast<std::size_t>(root - file.events().begin()))) {
    const auto& event = file.events()[start];
    if (event.name == "string") {
      add(start);
    } else if ((event.name == "string-array" || event.name == "plurals") &&
               event.attribute("translatable") != "false") {
      std::ranges::for_each(file.children(start), add);
    }
  }
  parts.keep(file.bytes().substr(at));
  return std::make_unique<PartsDocument>(std::move(parts));
}

}  // namespace translate::tools

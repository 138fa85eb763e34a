#include "documents/markup.h"

#include "core/utf8.h"

namespace translate::tools {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns the length of the tag at the beginning of `text`: up to its '>' outside quotes.
std::size_t tag_length(std::string_view text) {
  char quote = '\0';
  char before = '\0';  // skipped white space
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '>') {
      return i + 1;
    } else if ((c == '"' || c == '\'') && before == '=') {
      quote = c;
    }
    before = is_html_space(c) ? before : c;
  }
  return text.size();
}

}  // namespace

bool is_html_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

std::size_t markup_length(std::string_view text) {
  const auto to = [&](std::string_view mark) {
    const auto end = text.find(mark);
    return end == std::string_view::npos ? text.size() : end + mark.size();
  };
  const char next = text.size() > 1 ? text[1] : '\0';
  if (is_letter(next) || (next == '/' && text.size() > 2 && is_letter(text[2]))) {
    return tag_length(text);
  }
  if (text.starts_with("<!--")) {
    return to("-->");
  }
  if (text.starts_with("<![CDATA[")) {
    return to("]]>");
  }
  return next == '!' || next == '?' || (next == '/' && text.size() > 2) ? to(">") : 0;
}

std::string element_name(std::string_view markup) {
  const auto name = markup.substr(markup.starts_with("</") ? 2 : 1);
  return name.empty() || !is_letter(name.front()) ? "" : ascii_lower(name.substr(0, name.find_first_of(" \t\n\f\r/>")));
}

}  // namespace translate::tools

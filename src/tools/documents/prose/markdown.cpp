#include "documents/prose/markdown.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/file_parts.h"
#include "documents/html/inline_marks.h"
#include "documents/inline_tokens.h"
#include "documents/markup.h"
#include "documents/parts_document.h"
#include "documents/prose/markdown_inline.h"
#include "documents/text_lines.h"

namespace translate::tools {

namespace {

/// A line of the file without what ends it, and the place where its content begins: behind markers and indentation.
struct MarkdownLine {
  std::size_t begin;
  std::size_t end;
  std::size_t content;
  std::size_t indentation = 0;  ///< columns of white space in front of the content, behind markers of quotations
  bool is_item = false;         ///< it begins an item of a list
};

/// The length of a marker of a list at the beginning of a text, with the white space behind it; 0 if there is none.
std::size_t list_marker_length(std::string_view text) {
  std::size_t length = text.find_first_not_of("0123456789");
  const bool is_number =
      length != std::string_view::npos && length > 0 && length < 10 && (text[length] == '.' || text[length] == ')');
  const bool is_bullet = !text.empty() && std::string_view("-+*").find(text.front()) != std::string_view::npos;
  if (!is_number && !is_bullet) {
    return 0;
  }
  length = is_number ? length + 1 : 1;
  if (length == text.size()) {
    return length;
  }
  const auto content = std::min(text.find_first_not_of(" \t", length), text.size());
  if (content == length) {
    return 0;
  }
  const auto rest = text.substr(content);
  const bool is_task = rest.starts_with("[ ] ") || rest.starts_with("[x] ") || rest.starts_with("[X] ");
  return content + (is_task ? 4 : 0);
}

/// Whether a line is a ruler: three or more of `-`, `*`, `_` or `=`, alone.
bool is_ruler(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return false;
  }
  const char c = text[first];
  const auto count = std::ranges::count(text, c);
  const bool has_other = std::ranges::any_of(text, [&](char each) { return each != c && !is_html_space(each); });
  return !has_other && ((count >= 3 && (c == '*' || c == '_')) || c == '-' || c == '=') &&
         (count >= 3 || c == '=' || c == '-');
}

/// Whether a line parts the header of a table from its rows: | --- | :-: |
bool is_table_ruler(std::string_view text) {
  return text.find('-') != std::string_view::npos && text.find('|') != std::string_view::npos &&
         text.find_first_not_of("|-: \t") == std::string_view::npos;
}

/// Makes the parts of a file line by line.
class MarkdownReader {
 public:
  explicit MarkdownReader(const DocumentInput& input) : bytes_(input.bytes) {}

  TextParts read() {
    collect_references();
    auto at = skip_front_matter();
    while (at < bytes_.size()) {
      at = read_line(at);
    }
    end_paragraph();
    return parts_.finish();
  }

 private:
  [[nodiscard]] std::string_view content(const MarkdownLine& line) const {
    return bytes_.substr(line.content, line.end - line.content);
  }
  /// Notes the labels of [label]: definitions.
  void collect_references() {
    for (std::size_t at = 0; at < bytes_.size(); at = next_line(bytes_, at)) {
      const auto line = read_prefix(at);
      if (const auto length = definition_length(content(line)); length > 0) {
        references_.insert(ascii_lower(content(line).substr(1, length - 3)));
      }
    }
  }

  /// The length of "[label]:" at the beginning of a text; 0 if there is none.
  static std::size_t definition_length(std::string_view text) {
    const auto close = text.starts_with('[') ? text.find("]:") : std::string_view::npos;
    return close == std::string_view::npos || text.substr(1, close - 1).find('[') != std::string_view::npos ? 0
                                                                                                            : close + 2;
  }

  [[nodiscard]] std::size_t skip_front_matter() const {
    if (bytes_.substr(0, line_end(bytes_, 0)) != "---") {
      return 0;
    }
    for (auto at = next_line(bytes_, 0); at < bytes_.size(); at = next_line(bytes_, at)) {
      const auto line = bytes_.substr(at, line_end(bytes_, at) - at);
      if (line == "---" || line == "...") {
        return next_line(bytes_, at);
      }
    }
    return 0;
  }

  /// Skips markers of quotations and lists, and white space.
  [[nodiscard]] MarkdownLine read_prefix(std::size_t begin) const {
    MarkdownLine line{.begin = begin, .end = line_end(bytes_, begin), .content = begin};
    while (true) {
      const auto space = line.content;
      line.content = std::min(bytes_.find_first_not_of(" \t", line.content), line.end);
      line.indentation = columns(space, line.content);
      const auto rest = content(line);
      if (rest.starts_with('>')) {
        ++line.content;
        line.content += content(line).starts_with(' ') ? 1 : 0;
        continue;
      }
      const bool is_code = line.indentation >= 4 && !in_list_ && !line.is_item;
      const auto marker = is_code || is_ruler(rest) ? 0 : list_marker_length(rest);
      if (marker == 0) {
        return line;
      }
      line.is_item = true;
      line.content += marker;
    }
  }

  [[nodiscard]] std::size_t columns(std::size_t begin, std::size_t end) const {
    std::size_t count = 0;
    for (auto at = begin; at < end; ++at) {
      count += bytes_[at] == '\t' ? 4 : 1;
    }
    return count;
  }

  /// Reads a line, or a block that it begins. Returns what follows.
  std::size_t read_line(std::size_t at) {
    const auto line = read_prefix(at);
    const auto text = content(line);
    if (is_blank(text)) {
      end_paragraph();
      in_list_ = in_list_ || line.is_item;
      return next_line(bytes_, at);
    }
    if (text.starts_with("```") || text.starts_with("~~~")) {
      end_paragraph();
      return skip_fence(line);
    }
    if (is_ruler(text) && !line.is_item) {
      end_paragraph();
      return next_line(bytes_, at);
    }
    const bool is_margin = line.indentation == 0 && !line.is_item && line.content == line.begin;
    if (paragraph_.empty() && is_margin) {
      in_list_ = false;
    }
    if (paragraph_.empty() && !line.is_item && line.indentation >= (in_list_ ? item_column_ + 4 : 4)) {
      return next_line(bytes_, at);  // code
    }
    if (begins_html(text) && paragraph_.empty()) {
      return skip_html(at);
    }
    return read_text(line, text);
  }

  /// Reads a line that is text: a heading, a row of a table, a definition, or a line of a paragraph.
  std::size_t read_text(const MarkdownLine& line, std::string_view text) {
    const auto next = next_line(bytes_, line.begin);
    const auto hashes = std::min(text.find_first_not_of('#'), text.size());
    const bool is_heading = hashes > 0 && hashes < 7 && (hashes == text.size() || text[hashes] == ' ');
    if (is_heading || line.is_item || definition_length(text) > 0) {
      end_paragraph();
    }
    if (line.is_item) {
      in_list_ = true;
      item_column_ = line.content - line.begin;
    }
    if (is_heading) {
      add_heading(line, hashes);
      return next;
    }
    if (const auto length = definition_length(text); length > 0) {
      if (!text.starts_with("[^")) {
        return next;
      }
      auto note = line;
      note.content = std::min(bytes_.find_first_not_of(" \t", line.content + length), line.end);
      paragraph_.push_back(note);
      return next;
    }
    if (paragraph_.empty() && next < bytes_.size() && is_table_ruler(content(read_prefix(next))) &&
        text.find('|') != std::string_view::npos) {
      return read_table(line);
    }
    paragraph_.push_back(line);
    if (text.ends_with("  ") || text.ends_with('\\')) {  // a line break that stays
      paragraph_.back().end -= text.ends_with('\\') ? 1 : 0;
      end_paragraph();
    }
    return next;
  }

  std::size_t skip_fence(const MarkdownLine& line) const {
    const auto text = content(line);
    const auto fence = text.substr(0, text.find_first_not_of(text.front()));
    for (auto at = next_line(bytes_, line.begin); at < bytes_.size(); at = next_line(bytes_, at)) {
      auto inside = bytes_.substr(at, line_end(bytes_, at) - at);
      inside.remove_prefix(std::min(inside.find_first_not_of(" \t>"), inside.size()));
      if (inside.starts_with(fence) && inside.find_first_not_of(text.front()) == std::string_view::npos) {
        return next_line(bytes_, at);
      }
    }
    return bytes_.size();
  }

  /// Whether a line begins a block of HTML.
  static bool begins_html(std::string_view text) {
    const auto length = text.starts_with('<') ? markup_length(text) : 0;
    if (length == 0) {
      return false;
    }
    const auto token = tag_token(text.substr(0, length));
    return token.kind == TokenKind::kBlock || token.name.empty() || is_blank(text.substr(length));
  }

  /// Skips a block of HTML: to the end of a comment, else to a blank line.
  std::size_t skip_html(std::size_t at) const {
    const auto comment = bytes_.substr(at, line_end(bytes_, at) - at).find("<!--");
    if (comment != std::string_view::npos) {
      const auto end = bytes_.find("-->", at + comment);
      return end == std::string_view::npos ? bytes_.size() : next_line(bytes_, end);
    }
    while (at < bytes_.size() && !is_blank(bytes_.substr(at, line_end(bytes_, at) - at))) {
      at = next_line(bytes_, at);
    }
    return at;
  }

  void add_heading(const MarkdownLine& line, std::size_t hashes) {
    auto text = content(line);
    text = text.substr(0, text.find_last_not_of(" \t") + 1);
    const auto closing = text.find_last_not_of('#');
    if (closing != std::string_view::npos && closing + 1 < text.size() && closing >= hashes && text[closing] == ' ') {
      text = text.substr(0, closing + 1);
    }
    if (text.size() > hashes) {
      add_text(line.content + hashes, line.content + text.size(), {.escape = escape_markdown});
    }
  }

  /// Adds text that stands on one line.
  void add_text(std::size_t begin, std::size_t end, const TextWriting& writing) {
    DecodedString text(bytes_, begin);
    text.add(bytes_.substr(begin, end - begin), end);
    parts_.keep_to(begin);
    auto tokens = markdown_tokens(text, references_);
    add_inline_text(tokens, writing, parts_);
    parts_.skip_to(end);
  }

  /// Reads a table, of which `header` is the first row.
  std::size_t read_table(const MarkdownLine& header) {
    add_row(header);
    auto at = next_line(bytes_, next_line(bytes_, header.begin));
    while (at < bytes_.size()) {
      const auto line = read_prefix(at);
      if (content(line).find('|') == std::string_view::npos || line.is_item) {
        break;
      }
      add_row(line);
      at = next_line(bytes_, at);
    }
    return at;
  }

  void add_row(const MarkdownLine& line) {
    auto begin = line.content;
    bool in_code = false;
    for (auto at = line.content; at <= line.end; ++at) {
      const char c = at < line.end ? bytes_[at] : '|';
      if (c == '\\' && at + 1 < line.end) {
        ++at;
      } else if (c == '`' && at < line.end) {
        in_code = !in_code;
      } else if (c == '|' && (!in_code || at == line.end)) {
        if (begin < at) {
          add_text(begin, at, {.escape = escape_markdown_cell});
        }
        begin = at + 1;
      }
    }
  }

  /// Adds the lines of the paragraph as one text.
  void end_paragraph() {
    const auto lines = std::exchange(paragraph_, {});
    if (lines.empty()) {
      return;
    }
    DecodedString text(bytes_, lines.front().content);
    TextWriting writing{.escape = escape_markdown, .finish = escape_markdown_start, .has_no_blank_lines = true};
    for (const auto& line : lines) {
      if (&line != &lines.front()) {
        const auto before = text.place(text.text().size());
        const auto end = next_line(bytes_, before);
        const auto line_break = bytes_.substr(before, end - before);
        text.add(line_break, end);
        text.add("", line.content);
        if (&line == &lines[1]) {
          writing.line_prefix = bytes_.substr(line.begin, line.content - line.begin);
        }
      }
      text.add(content(line), line.end);
    }
    parts_.keep_to(lines.front().content);
    auto tokens = markdown_tokens(text, references_);
    add_inline_text(tokens, writing, parts_);
    parts_.skip_to(lines.back().end);
  }

  std::string_view bytes_;
  std::set<std::string> references_;
  std::vector<MarkdownLine> paragraph_;  ///< the lines of the current one
  bool in_list_ = false;
  std::size_t item_column_ = 0;  ///< where the text of the last item of a list begins
  FileParts parts_{bytes_};
};

}  // namespace

std::unique_ptr<Document> read_markdown(DocumentInput input) {
  return std::make_unique<PartsDocument>(MarkdownReader(input).read());
}

}  // namespace translate::tools

#include "documents/strings/yaml_strings.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/file_parts.h"
#include "documents/inline_tokens.h"
#include "documents/markup.h"
#include "documents/parts_document.h"
#include "documents/strings/escapes.h"
#include "documents/text_lines.h"

namespace translate::tools {

namespace {

/// Plain scalars that are no strings to some readers.
constexpr std::array<std::string_view, 10> kConstants = {"true", "false", "yes", "no", "on",
                                                         "off",  "null",  "y",   "n",  "~"};

bool is_constant(std::string_view text) {
  const auto lower = ascii_lower(text);
  const bool is_number = !lower.empty() &&
                         std::string_view("0123456789+-.").find(lower.front()) != std::string_view::npos &&
                         lower.find_first_not_of("0123456789abcdefinoxt+-._:") == std::string::npos;
  return is_number || std::ranges::find(kConstants, lower) != kConstants.end();
}

/// Whether a text means itself without quotes.
bool is_plain(std::string_view text, bool in_flow) {
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@` ";
  return !text.empty() && kIndicators.find(text.front()) == std::string_view::npos && text.back() != ':' &&
         text.back() != ' ' && text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos &&
         text.find('\t') == std::string_view::npos && !is_constant(text) &&
         !(in_flow && text.find_first_of(",[]{}") != std::string_view::npos);
}

/// Returns a text with one space in place of each run of white space.
std::string on_one_line(std::string_view text) {
  TextSpacing ignored;
  return take_spacing(text, ignored);
}

std::string finish_plain(std::string text, bool in_flow) {
  const auto line = on_one_line(text);
  return is_plain(line, in_flow) ? text : '"' + escape_backslashes(line) + '"';
}
std::string finish_block_plain(std::string text) { return finish_plain(std::move(text), /*in_flow=*/false); }
std::string finish_flow_plain(std::string text) { return finish_plain(std::move(text), /*in_flow=*/true); }

std::string escape_single_quotes(std::string_view text) { return replace_all(text, "'", "''"); }

/// For a string in double quotes that goes over several lines: line ends stay.
std::string escape_folded(std::string_view text) { return replace_all(escape_backslashes(text), "\\n", "\n"); }

/// Collects the strings of YAML in the parser's order, which is that of the file.
class YamlCollector : public YAML::EventHandler {
 public:
  explicit YamlCollector(std::string_view bytes) : bytes_(bytes) {}

  TextParts finish() { return parts_.finish(); }

  /// The parser gives an empty document, again and again, where it cannot read on.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == document_begin_) {
      throw YAML::ParserException(mark, "expected a value or the end of the document");
    }
    document_begin_ = mark.pos;
    open_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { (void)begin_node(); }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { (void)begin_node(); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    const bool is_translated = begin_node() && (tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str");
    const auto begin = skip_properties(static_cast<std::size_t>(mark.pos));
    if (is_translated && begin >= parts_.at() && begin < bytes_.size() && !is_blank(value)) {
      add_scalar(begin, value);
    }
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value style) override {
    open(/*is_map=*/false, style);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value style) override {
    open(/*is_map=*/true, style);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    bool is_map;
    bool is_key;  ///< the whole collection is a key, or in one
    bool in_flow;
    bool key_is_next = true;
  };

  /// Notes that a node begins, and returns whether it is a value.
  bool begin_node() {
    if (open_.empty()) {
      return true;
    }
    auto& around = open_.back();
    const bool is_key = around.is_map && around.key_is_next;
    around.key_is_next = !around.key_is_next;
    return !is_key && !around.is_key;
  }

  void open(bool is_map, YAML::EmitterStyle::value style) {
    const bool is_value = begin_node();
    const bool in_flow = style == YAML::EmitterStyle::Flow || (!open_.empty() && open_.back().in_flow);
    open_.push_back({.is_map = is_map, .is_key = !is_value, .in_flow = in_flow});
  }

  /// Skips an anchor and a tag.
  [[nodiscard]] std::size_t skip_properties(std::size_t at) const {
    while (at < bytes_.size() && (bytes_[at] == '&' || bytes_[at] == '!')) {
      at = std::min(bytes_.find_first_of(" \t\r\n", at), bytes_.size());
      at = std::min(bytes_.find_first_not_of(" \t\r\n", at), bytes_.size());
    }
    return at;
  }

  void add_scalar(std::size_t begin, const std::string& value) {
    switch (bytes_[begin]) {
      case '"':
        add_double_quoted(begin + 1);
        break;
      case '\'':
        add_single_quoted(begin + 1);
        break;
      case '|':
      case '>':
        add_block(begin);
        break;
      default:
        add_plain(begin, value);
    }
  }

  /// Adds text whose line ends are white space, as one text.
  void add_folded(const DecodedString& text, TextWriting writing) {
    writing.has_no_blank_lines = true;
    std::vector<InlineToken> tokens;
    add_string_tokens(text, 0, text.text().size(), tokens);
    add_inline_text(tokens, writing, parts_);
  }

  void add_double_quoted(std::size_t begin) {
    auto end = begin;
    while (end < bytes_.size() && bytes_[end] != '"') {
      end += bytes_[end] == '\\' ? 2 : 1;
    }
    if (end >= bytes_.size()) {
      return;
    }
    const auto raw = bytes_.substr(begin, end - begin);
    const bool has_lines = raw.find('\n') != std::string_view::npos;
    const auto text = decode_backslashes(bytes_, begin, end);
    if (!text || (has_lines && has_hard_breaks(raw, text->text()))) {
      return;
    }
    parts_.keep_to(begin);
    if (has_lines) {
      add_folded(*text, {.escape = escape_folded});
    } else {
      add_string(*text, {.escape = escape_backslashes}, parts_);
    }
    parts_.skip_to(end);
  }

  /// Whether a string over several lines has line ends that mean line ends.
  static bool has_hard_breaks(std::string_view raw, std::string_view text) {
    std::size_t line_ends = 0;
    bool is_blank_line = false;
    for (const char c : raw) {
      if (c == '\n') {
        if (is_blank_line) {
          return true;
        }
        ++line_ends;
        is_blank_line = true;
      } else if (!is_html_space(c)) {
        is_blank_line = false;
      }
    }
    return static_cast<std::size_t>(std::ranges::count(text, '\n')) != line_ends ||
           raw.find("\\\n") != std::string_view::npos || raw.find("\\\r") != std::string_view::npos;
  }

  void add_single_quoted(std::size_t begin) {
    DecodedString text(bytes_, begin);
    auto at = begin;
    while (true) {
      const auto quote = bytes_.find('\'', at);
      if (quote == std::string_view::npos) {
        return;
      }
      text.add(bytes_.substr(at, quote - at), quote);
      at = quote;
      if (!bytes_.substr(quote + 1).starts_with('\'')) {
        break;
      }
      text.add("'", quote + 2);
      at = quote + 2;
    }
    if (has_hard_breaks(bytes_.substr(begin, at - begin), text.text())) {
      return;
    }
    parts_.keep_to(begin);
    add_folded(text, {.escape = escape_single_quotes});
    parts_.skip_to(at);
  }

  /// Adds a plain scalar, which may go over several lines.
  void add_plain(std::size_t begin, const std::string& value) {
    auto end = begin;
    for (const char c : value) {
      if (c == ' ' && end < bytes_.size() && is_html_space(bytes_[end])) {
        while (end < bytes_.size() && is_html_space(bytes_[end])) {
          ++end;
        }
      } else if (end < bytes_.size() && bytes_[end] == c && c != '\n') {
        ++end;
      } else if (c != ' ' || end == 0 || !is_html_space(bytes_[end - 1])) {
        return;  // blank lines inside
      }
    }
    if (is_constant(value)) {
      return;
    }
    DecodedString text(bytes_, begin);
    text.add(bytes_.substr(begin, end - begin), end);
    parts_.keep_to(begin);
    const bool in_flow = !open_.empty() && open_.back().in_flow;
    add_folded(text, {.finish = in_flow ? finish_flow_plain : finish_block_plain});
    parts_.skip_to(end);
  }

  /// Adds a block scalar: each line of a literal one, each paragraph of a folded one.
  void add_block(std::size_t begin) {
    const bool is_folded = bytes_[begin] == '>';
    std::optional<std::size_t> indentation;
    auto paragraph = std::string_view::npos;  // where the current one begins
    auto paragraph_end = paragraph;
    for (auto line = next_line(bytes_, begin); line < bytes_.size(); line = next_line(bytes_, line)) {
      const auto end = std::min(bytes_.find('\n', line), bytes_.size());
      const auto first = std::min(bytes_.find_first_not_of(" \t\r", line), end);
      if (first == end) {
        add_paragraph(std::exchange(paragraph, std::string_view::npos), paragraph_end);
        continue;
      }
      const auto spaces = std::min(bytes_.find_first_not_of(' ', line), end) - line;
      if (spaces < indentation.value_or(minimum_indentation())) {
        break;
      }
      const bool continues = is_folded && paragraph != std::string_view::npos && spaces == indentation;
      indentation = std::min(indentation.value_or(spaces), spaces);
      if (!continues) {
        add_paragraph(paragraph, paragraph_end);
        paragraph = first;
      }
      paragraph_end = end;
    }
    add_paragraph(paragraph, paragraph_end);
  }

  /// The content of a block scalar is indented, unless it is the whole document.
  [[nodiscard]] std::size_t minimum_indentation() const { return open_.empty() ? 0 : 1; }

  void add_paragraph(std::size_t begin, std::size_t end) {
    if (begin == std::string_view::npos) {
      return;
    }
    DecodedString text(bytes_, begin);
    text.add(bytes_.substr(begin, end - begin), end);
    parts_.keep_to(begin);
    add_folded(text, {});
    parts_.skip_to(end);
  }

  std::string_view bytes_;
  int document_begin_ = -1;  ///< of the last document
  std::vector<Open> open_;
  FileParts parts_{bytes_};
};

}  // namespace

std::unique_ptr<Document> read_yaml_strings(DocumentInput input) {
  YamlCollector collector(input.bytes);
  try {
    std::istringstream stream(input.bytes);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(collector)) {
    }
  } catch (const YAML::Exception& error) {
    throw DataError(
        fmt::format("{}: line {}: not YAML that can be read: {}", input.name, error.mark.line + 1, error.msg));
  }
  return std::make_unique<PartsDocument>(collector.finish());
}

}  // namespace translate::tools

#include "documents/strings/po_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/file_parts.h"
#include "documents/inline_tokens.h"
#include "documents/parts_document.h"
#include "documents/strings/escapes.h"

namespace translate::tools {

namespace {

/// Bytes of the file.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A string of one or more quoted lines: the bytes between the quotes of each.
using QuotedLines = std::vector<Span>;

bool is_empty(const QuotedLines& lines) {
  return std::ranges::all_of(lines, [](const Span& line) { return line.begin == line.end; });
}

/// An entry of a catalogue as far as it was read.
struct PoEntry {
  std::optional<std::size_t> flags;  ///< where the flags begin, behind "#,"
  std::optional<std::size_t> begin;  ///< of the first line that is no comment, or is one of the previous msgid
  bool is_fuzzy = false;
  QuotedLines id;
  QuotedLines plural;
  std::vector<QuotedLines> translations;
};

/// Makes the parts of a catalogue, entry by entry.
class PoReader {
 public:
  explicit PoReader(const DocumentInput& input) : input_(input), bytes_(input.bytes) {}

  TextParts read() {
    for (std::size_t at = 0; at < bytes_.size();) {
      const auto end = std::min(bytes_.find('\n', at), bytes_.size());
      read_line(at, end);
      at = end + 1;
    }
    end_entry();
    return parts_.finish();
  }

 private:
  void read_line(std::size_t begin, std::size_t end) {
    constexpr std::string_view kSpaces = " \t\r";
    while (begin < end && kSpaces.find(bytes_[begin]) != std::string_view::npos) {
      ++begin;
    }
    const auto line = bytes_.substr(begin, end - begin);
    if (line.empty()) {
      end_entry();
    } else if (line.starts_with('#')) {
      read_comment(line, begin);
    } else if (line.starts_with('"')) {
      if (string_ == nullptr) {
        throw document_error(input_, begin, "a string without a keyword; expected msgid or msgstr");
      }
      string_->push_back(quoted(begin, end));
    } else {
      read_keyword(line, begin);
    }
  }

  void read_comment(std::string_view line, std::size_t begin) {
    if (!entry_.translations.empty()) {
      end_entry();
    }
    string_ = nullptr;
    if (line.starts_with("#,")) {
      entry_.flags = begin + 2;
      entry_.is_fuzzy = entry_.is_fuzzy || line.find("fuzzy") != std::string_view::npos;
    } else if (line.starts_with("#|") && !entry_.begin) {
      entry_.begin = begin;
    }
  }

  void read_keyword(std::string_view line, std::size_t begin) {
    const auto quote = line.find('"');
    auto keyword = line.substr(0, std::min(line.find_first_of(" \t\""), line.size()));
    if (quote == std::string_view::npos) {
      throw document_error(input_, begin, fmt::format("\"{}\"; expected a keyword and a string", line.substr(0, 40)));
    }
    if ((keyword == "msgid" || keyword == "msgctxt") && !entry_.translations.empty()) {
      end_entry();
    }
    if (!entry_.begin) {
      entry_.begin = begin;
    }
    if (keyword == "msgctxt") {
      context_.clear();
      string_ = &context_;
    } else if (keyword == "msgid") {
      string_ = &entry_.id;
    } else if (keyword == "msgid_plural") {
      string_ = &entry_.plural;
    } else if (keyword == "msgstr" || keyword.starts_with("msgstr[")) {
      string_ = &entry_.translations.emplace_back();
    } else {
      throw document_error(input_, begin, fmt::format("unknown keyword {}; expected msgid or msgstr", keyword));
    }
    string_->push_back(quoted(begin + quote, begin + line.size()));
  }

  /// Returns the bytes between the quote at `begin` and the one that ends the line.
  [[nodiscard]] Span quoted(std::size_t begin, std::size_t end) const {
    auto at = begin + 1;
    while (at < end && bytes_[at] != '"') {
      at += bytes_[at] == '\\' ? 2 : 1;
    }
    if (at >= end || bytes_.substr(at + 1, end - at - 1).find_first_not_of(" \t\r") != std::string_view::npos) {
      throw document_error(input_, begin, "the string has no end; expected \" at the end of the line");
    }
    return {.begin = begin + 1, .end = at};
  }

  void end_entry() {
    const auto entry = std::exchange(entry_, {});
    string_ = nullptr;
    const bool has_place = std::ranges::any_of(entry.translations, is_empty);
    if (is_empty(entry.id) || !has_place) {
      return;
    }
    if (!entry.is_fuzzy) {
      add_flag(entry);
    }
    for (std::size_t form = 0; form < entry.translations.size(); ++form) {
      const auto& place = entry.translations[form];
      if (is_empty(place)) {
        const bool is_plural = form > 0 && !is_empty(entry.plural);
        add_translation(is_plural ? entry.plural : entry.id, place);
      }
    }
  }

  void add_flag(const PoEntry& entry) {
    parts_.keep_to(entry.flags.value_or(*entry.begin));
    if (entry.flags) {
      parts_.keep(" fuzzy,");
    } else {
      const auto line_end = bytes_.find('\n', *entry.begin);
      const bool has_return = line_end != std::string_view::npos && line_end > 0 && bytes_[line_end - 1] == '\r';
      parts_.keep(has_return ? "#, fuzzy\r\n" : "#, fuzzy\n");
    }
  }

  /// Adds the text of a string, quoted as it is there, in the place of an empty one.
  void add_translation(const QuotedLines& from, const QuotedLines& place) {
    const auto first = std::ranges::find_if(from, [](const Span& line) { return line.begin < line.end; });
    DecodedString text(bytes_, first->begin);
    for (auto line = first; line != from.end(); ++line) {
      text.add("", line->begin);
      if (!add_backslashes(bytes_, line->begin, line->end, text)) {
        throw document_error(input_, line->begin,
                             "an escape that gettext does not know; expected \\n, \\t, \\\" or \\\\");
      }
    }
    parts_.keep_to(place.front().begin - 1);
    parts_.keep(bytes_.substr(from.front().begin - 1, first->begin - from.front().begin + 1));
    add_string(text, {.escape = escape_backslashes}, parts_);
    parts_.keep("\"");
    parts_.skip_to(place.back().end + 1);
  }

  const DocumentInput& input_;
  std::string_view bytes_;
  PoEntry entry_;
  QuotedLines context_;
  QuotedLines* string_ = nullptr;  ///< the string whose lines follow
  FileParts parts_{bytes_};
};

}  // namespace

std::unique_ptr<Document> read_po_catalog(DocumentInput input) {
  return std::make_unique<PartsDocument>(PoReader(input).read());
}

}  // namespace translate::tools

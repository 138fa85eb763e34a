#include "documents/strings/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/inline_tokens.h"
#include "documents/parts_document.h"

namespace translate::tools {

namespace {

/// A cell of a table: its bytes, without quotes.
struct Cell {
  std::size_t begin;
  std::size_t end;
  bool has_quotes;
};

std::string double_quotes(std::string_view text) { return replace_all(text, "\"", "\"\""); }

std::string quoted_if_needed(std::string text) {
  return text.find_first_of(",;\t\"\r\n") == std::string::npos ? text : '"' + double_quotes(text) + '"';
}

/// Reads a table record by record.
class TableScanner {
 public:
  TableScanner(const DocumentInput& input, char separator)
      : input_(input), bytes_(input.bytes), separator_(separator) {}

  /// Returns the cells of the next record, or none at the end.
  std::vector<Cell> next() {
    std::vector<Cell> cells;
    while (at_ < bytes_.size() || (!cells.empty() && bytes_[at_ - 1] == separator_)) {
      cells.push_back(take_cell());
      if (at_ >= bytes_.size()) {
        break;
      }
      const bool ends_record = bytes_[at_] != separator_;
      at_ += bytes_.substr(at_).starts_with("\r\n") ? 2 : 1;
      if (ends_record) {
        break;
      }
    }
    return cells;
  }

  [[nodiscard]] DecodedString decode(const Cell& cell) const {
    DecodedString text(bytes_, cell.begin);
    for (auto at = cell.begin; at < cell.end;) {
      const auto quote = cell.has_quotes ? std::min(bytes_.find("\"\"", at), cell.end) : cell.end;
      text.add(bytes_.substr(at, quote - at), quote);
      at = quote;
      if (at < cell.end) {
        text.add("\"", at + 2);
        at += 2;
      }
    }
    return text;
  }

 private:
  /// Takes the cell at the current place, up to what ends it.
  Cell take_cell() {
    const auto begin = at_;
    if (at_ < bytes_.size() && bytes_[at_] == '"') {
      auto end = bytes_.find('"', begin + 1);
      while (end != std::string_view::npos && bytes_.substr(end + 1).starts_with('"')) {
        end = bytes_.find('"', end + 2);
      }
      if (end == std::string_view::npos) {
        throw document_error(input_, begin, "the quoted cell has no end; expected \"");
      }
      at_ = end + 1;
      if (at_ < bytes_.size() && !ends_cell(bytes_[at_])) {
        throw document_error(input_, at_, "text behind a quoted cell; expected the quotes inside of it to be doubled");
      }
      return {.begin = begin + 1, .end = end, .has_quotes = true};
    }
    while (at_ < bytes_.size() && !ends_cell(bytes_[at_])) {
      ++at_;
    }
    return {.begin = begin, .end = at_, .has_quotes = false};
  }

  [[nodiscard]] bool ends_cell(char c) const { return c == separator_ || c == '\n' || c == '\r'; }

  const DocumentInput& input_;
  std::string_view bytes_;
  char separator_;
  std::size_t at_ = 0;
};

/// Returns the separator that the first line has most of outside of quotes.
char separator_of(std::string_view bytes) {
  constexpr std::string_view kSeparators = ",;\t";
  std::vector<std::size_t> counts(kSeparators.size(), 0);
  bool in_quotes = false;
  for (const char c : bytes) {
    in_quotes = in_quotes != (c == '"');
    if (!in_quotes && c == '\n') {
      break;
    }
    if (const auto found = kSeparators.find(c); !in_quotes && found != std::string_view::npos) {
      ++counts[found];
    }
  }
  return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

/// The columns to translate, counted from 0, and whether the first line has their names.
struct Columns {
  std::vector<std::size_t> numbers;
  bool has_names = false;
};

Columns find_columns(const DocumentInput& input, const std::vector<std::string>& names) {
  const auto first_line = fmt::format("the first line has {}", fmt::join(names, ", "));
  if (input.columns.empty()) {
    throw ConfigError(fmt::format(
        "{}: a table needs the columns to translate, by name or number (--column, or column in a request); {}",
        input.name, first_line));
  }
  Columns columns;
  for (const auto& wanted : input.columns) {
    const auto named = std::ranges::find(names, wanted);
    std::size_t number = 0;
    const auto* const end = wanted.data() + wanted.size();
    if (named != names.end()) {
      columns.numbers.push_back(static_cast<std::size_t>(named - names.begin()));
      columns.has_names = true;
    } else if (std::from_chars(wanted.data(), end, number).ptr == end && number >= 1 && number <= names.size()) {
      columns.numbers.push_back(number - 1);
    } else {
      throw ConfigError(fmt::format("{}: column {}: there is no such column; {}", input.name, wanted, first_line));
    }
  }
  return columns;
}

std::unique_ptr<Document> read_table(const DocumentInput& input, char separator) {
  TableScanner scanner(input, separator);
  TextParts parts{.texts = {}, .between = {""}};
  const std::string_view bytes = input.bytes;
  std::size_t at = 0;
  auto record = scanner.next();
  std::vector<std::string> names;
  for (const auto& cell : record) {
    names.push_back(scanner.decode(cell).text());
  }
  const auto columns = record.empty() ? Columns() : find_columns(input, names);
  if (columns.has_names) {
    record = scanner.next();
  }
  for (; !record.empty(); record = scanner.next()) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (std::ranges::find(columns.numbers, i) == columns.numbers.end()) {
        continue;
      }
      const auto& cell = record[i];
      parts.keep(bytes.substr(at, cell.begin - at));
      const auto writing =
          cell.has_quotes ? TextWriting{.escape = double_quotes} : TextWriting{.finish = quoted_if_needed};
      add_string(scanner.decode(cell), writing, parts);
      at = cell.end;
    }
  }
  parts.keep(bytes.substr(at));
  return std::make_unique<PartsDocument>(std::move(parts));
}

}  // namespace

std::unique_ptr<Document> read_csv_table(DocumentInput input) { return read_table(input, separator_of(input.bytes)); }
std::unique_ptr<Document> read_tsv_table(DocumentInput input) { return read_table(input, '\t'); }

}  // namespace translate::tools

#include "pairs/formats/table_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/counted.h"
#include "core/error.h"
#include "pairs/formats/side_names.h"

namespace translate {

namespace {

constexpr std::size_t kMostLinesOfField = 1000;  // a longer one has a quote too many

void split_tsv(std::string_view line, std::vector<std::string>& fields) {
  for (std::size_t begin = 0;;) {
    const auto end = line.find('\t', begin);
    fields.emplace_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return;
    }
    begin = end + 1;
  }
}

}  // namespace

bool TableReader::next(std::vector<std::string>& fields) {
  fields.clear();
  std::string line;
  do {
    if (!lines_.next(line)) {
      return false;
    }
  } while (line.empty());
  row_ = lines_.lines();
  if (format_ == TableFormat::kTsv) {
    split_tsv(line, fields);
  } else {
    split_csv(std::move(line), fields);
  }
  return true;
}

std::string TableReader::place() const { return fmt::format("{}:{}", lines_.path().string(), row_); }

void TableReader::split_csv(std::string line, std::vector<std::string>& fields) {
  if (separator_ == '\0') {
    separator_ = std::ranges::count(line, ';') > std::ranges::count(line, ',') ? ';' : ',';
  }
  for (std::size_t at = 0;;) {
    auto& field = fields.emplace_back();
    if (at < line.size() && line[at] == '"') {
      at = read_quoted(line, at + 1, field);
      if (at < line.size() && line[at] != separator_) {
        throw DataError(
            fmt::format("{}: column {} goes on behind its closing quote: a quote inside of a quoted field is "
                        "written twice, as in \"He said \"\"no\"\"\"",
                        place(), fields.size()));
      }
    } else {
      const auto end = std::min(line.find(separator_, at), line.size());
      field = line.substr(at, end - at);
      at = end;
    }
    if (at >= line.size()) {
      return;
    }
    ++at;
  }
}

/// Reads a field up to its closing quote, with further lines into `line` where it has some; returns the place behind
/// the quote.
std::size_t TableReader::read_quoted(std::string& line, std::size_t at, std::string& field) {
  for (std::size_t lines = 0;;) {
    const auto quote = line.find('"', at);
    field += std::string_view(line).substr(at, quote - at);
    if (quote == std::string::npos) {
      if (++lines > kMostLinesOfField || !lines_.next(line)) {
        throw DataError(
            fmt::format("{}: a quote opens a field that is not closed within {} lines: write a quote that "
                        "belongs to the text twice, and another pair around the field",
                        place(), std::min(lines, kMostLinesOfField)));
      }
      field += ' ';
      at = 0;
    } else if (quote + 1 < line.size() && line[quote + 1] == '"') {
      field += '"';
      at = quote + 2;
    } else {
      return quote + 1;
    }
  }
}

PairColumns columns_of(const std::vector<std::string>& first_row, const LanguageCodes& wanted,
                       const std::string& place) {
  PairColumns columns{.all = first_row.size()};
  if (const auto sides = sides_by_names(first_row, wanted)) {
    columns.source = sides->source;
    columns.target = sides->target;
    columns.languages = sides->languages;
    columns.has_header = true;
    return columns;
  }
  if (first_row.size() != 2) {
    throw DataError(fmt::format(
        "{}: {} and no header that says which are the two sides: put a row with the names source and target, or with "
        "the codes of the languages, above the columns (other columns may have any names)",
        place, counted(first_row.size(), "column")));
  }
  return columns;
}

namespace {

class TablePairs final : public PairSource {
 public:
  TablePairs(TableReader rows, const PairColumns& columns) : rows_(std::move(rows)), columns_(columns) {
    if (columns.has_header) {
      static_cast<void>(rows_.next(fields_));
    }
  }

  bool next(SentencePair& pair) override {
    if (!rows_.next(fields_)) {
      return false;
    }
    if (fields_.size() != columns_.all) {
      throw DataError(fmt::format("{}: {}, where the first row has {}: is a tab or a quote missing, or one too many?",
                                  place(), counted(fields_.size(), "column"), columns_.all));
    }
    pair.source = std::move(fields_[columns_.source]);
    pair.target = std::move(fields_[columns_.target]);
    return true;
  }

  [[nodiscard]] std::string place() const override { return rows_.place(); }

 private:
  TableReader rows_;
  PairColumns columns_;
  std::vector<std::string> fields_;
};

}  // namespace

std::unique_ptr<PairSource> table_pairs(TableReader rows, const PairColumns& columns) {
  return std::make_unique<TablePairs>(std::move(rows), columns);
}

}  // namespace translate

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "corpora/corpus_reader.h"
#include "languages/language_names.h"
#include "pairs/pair_source.h"

namespace translate {

/// How a table of text separates its columns.
enum class TableFormat {
  kTsv,  ///< by tabs; nothing is quoted
  kCsv,  ///< by commas, or by semicolons if the first row has more of these; fields may be quoted (RFC 4180)
};

/// The rows of a table.
class TableReader {
 public:
  TableReader(LineReader lines, TableFormat format) : lines_(std::move(lines)), format_(format) {}

  /// Reads the next row that is not empty; returns false at the end. Line ends inside a field become spaces. Throws
  /// DataError, which names the line, for a quote that is not closed, or that is neither around a field nor doubled.
  [[nodiscard]] bool next(std::vector<std::string>& fields);

  /// Where the last row begins, for messages.
  [[nodiscard]] std::string place() const;

 private:
  void split_csv(std::string line, std::vector<std::string>& fields);
  std::size_t read_quoted(std::string& line, std::size_t at, std::string& field);

  LineReader lines_;
  TableFormat format_;
  char separator_ = '\0';  ///< of CSV, once it is known
  std::size_t row_ = 0;    ///< its first line
};

/// The columns of a table that are the two sides.
struct PairColumns {
  std::size_t all = 2;
  std::size_t source = 0;
  std::size_t target = 1;
  bool has_header = false;       ///< the first row names the columns
  LanguageCodes languages = {};  ///< that the names say; empty: unknown
};

/// Returns the columns by the first row of a table. That is a header if two of its names say what the columns are:
/// "source" and "target", or the codes or English names of two languages, where `wanted` chooses (empty: the first
/// two). Without a header a table has two columns. Throws DataError, which calls the row `place`, if the columns are
/// unknown.
[[nodiscard]] PairColumns columns_of(const std::vector<std::string>& first_row, const LanguageCodes& wanted,
                                     const std::string& place);

/// The pairs of a table with these columns. Throws DataError if a row has another number of columns.
[[nodiscard]] std::unique_ptr<PairSource> table_pairs(TableReader rows, const PairColumns& columns);

}  // namespace translate

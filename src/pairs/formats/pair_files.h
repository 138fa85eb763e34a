#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "languages/language_names.h"
#include "pairs/pair_source.h"

namespace translate {

/// The format of a file with pairs of sentences.
enum class PairFormat {
  kLines,  ///< two texts
  kTsv,
  kCsv,
  kJsonLines,  ///< a JSON object a line
  kTmx,
  kXliff,
};

/// A file with pairs of sentences, or two with a side each. Each may be packed (gzip, xz, zstd, bzip2), and lie in an
/// archive (zip, tar).
struct PairFiles {
  PairFormat format = PairFormat::kLines;
  std::filesystem::path source;    ///< the file with both sides, or with the sources
  std::filesystem::path target;    ///< kLines alone: the file with the targets
  std::string source_member = {};  ///< the name of that file in the archive `source`; empty: it is the file itself
  std::string target_member = {};
  LanguageCodes languages = {};  ///< that its content or names say; empty: unknown

  /// Its name for messages.
  [[nodiscard]] std::string name() const;
};

/// Finds the pairs in what a user gives: two texts; or files of other formats, folders and archives, each by itself.
/// Formats are known by the names (`my.tmx`, `my.de-en.tsv.xz`), those of texts in folders and archives by names that
/// differ in the language alone (`train.de`, `train.en`). Languages are those of the file's content (the head of a
/// TMX, the header of a table, the keys of JSON), else those of the names. `wanted` chooses among several; an empty one
/// is the first. Throws ConfigError for a path that is missing or whose format is unknown; DataError where the content
/// is not what the format says, or lacks a language that is wanted.
[[nodiscard]] std::vector<PairFiles> find_pair_files(std::span<const std::filesystem::path> paths,
                                                     const LanguageCodes& wanted);

/// Opens the pairs. Throws DataError and RuntimeError as the formats do.
[[nodiscard]] std::unique_ptr<PairSource> open_pairs(const PairFiles& files);

/// Returns what opens all of these.
[[nodiscard]] OpenPairs opener_of(std::vector<PairFiles> files);

}  // namespace translate

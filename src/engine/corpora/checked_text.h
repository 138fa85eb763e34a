#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// The state of a text file when it was read.
struct TextFile {
  std::filesystem::path path;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< in the file system's own units; 0: unreliable
  std::uint32_t crc32 = 0;    ///< of its bytes as stored (compressed, if the file is)

  bool operator==(const TextFile&) const = default;
};

/// A corpus whose lines were all read and are valid.
struct CheckedCorpus {
  TextFile source;
  TextFile target;
  std::uint64_t lines = 0;        ///< of either file
  std::uint64_t blank = 0;        ///< pairs with an empty or blank side
  Markup markup = Markup::kNone;  ///< with which they were read

  bool operator==(const CheckedCorpus&) const = default;
};

/// Several checked corpora.
struct CheckedText {
  std::vector<CheckedCorpus> corpora;

  [[nodiscard]] std::uint64_t lines() const;
  [[nodiscard]] std::uint64_t blank() const;

  /// Equal for texts with the same content at any path: size and CRC-32 of each file.
  [[nodiscard]] std::string fingerprint() const;
};

/// A record of text that was checked before, kept in a file (text.json), so that it need not be read again at each
/// start. A file with the same size and modification time counts as unchanged; a file with another time, or at another
/// path, is read to compare its CRC-32; only text with other content is checked line by line.
class TextRecord {
 public:
  /// Reads the record; a missing or damaged one counts as empty.
  explicit TextRecord(std::filesystem::path file);

  /// Checks the corpora. Throws DataError as PairReader does.
  [[nodiscard]] CheckedText check(std::span<const CorpusFiles> corpora);

  /// Writes the record with all text checked since, creating its folder if it is missing. Throws RuntimeError.
  void save() const;

 private:
  [[nodiscard]] CheckedCorpus check(const CorpusFiles& files);

  std::filesystem::path file_;
  std::vector<CheckedCorpus> known_;
  bool changed_ = false;
};

/// The sum of a text file's content: equal sums mean the same text, whatever the path of the file.
struct TextSum {
  std::filesystem::path path;  ///< its path at that time, absolute
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;  ///< of its bytes as stored (compressed, if the file is)

  bool operator==(const TextSum&) const = default;

  [[nodiscard]] bool has_content_of(const TextSum& other) const { return size == other.size && crc32 == other.crc32; }
};

struct CorpusSum {
  TextSum source;
  TextSum target;

  bool operator==(const CorpusSum&) const = default;
};

/// The text that a run was configured with, as data.json of its checkpoints keeps it. With these sums a resumed run
/// recognises its text, and translate-eval its test set, after the files were moved.
struct TextSums {
  std::vector<CorpusSum> train;
  std::vector<CorpusSum> validation;  ///< none if validation is a fraction
  std::vector<CorpusSum> test;        ///< none if the files were missing when training began

  bool operator==(const TextSums&) const = default;
};

/// Returns the sums of checked text.
[[nodiscard]] std::vector<CorpusSum> sums_of(const CheckedText& text);

/// Returns the sum of a file; nothing if it cannot be read.
[[nodiscard]] std::optional<TextSum> sum_of_file(const std::filesystem::path& path);

/// Returns the sums of all files, or none if one of them cannot be read.
[[nodiscard]] std::vector<CorpusSum> sums_of_files(const std::vector<CorpusFiles>& files);

/// Returns the content of data.json. Throws RuntimeError if a path is not valid UTF-8.
[[nodiscard]] std::string text_sums_to_json(const TextSums& sums);

/// Reads the content of data.json. Throws DataError, calling the text `name`, if it does not have the form that
/// text_sums_to_json writes.
[[nodiscard]] TextSums text_sums_from_json(const std::string& json, const std::string& name);

/// The folder of a run when its configuration was written, and now.
struct RunPlaces {
  std::filesystem::path then;  ///< run_dir of its configuration, absolute
  std::filesystem::path now;   ///< its folder; empty if that is unknown (a checkpoint moved out of its run)
};

/// Returns the distinct paths at which a file of a run may be: first its old path, then the same path relative to the
/// run's folder, then, for a run that was trained in `runs/`, the same path relative to the folder that held `runs/`,
/// with the current folder in its place.
[[nodiscard]] std::vector<std::filesystem::path> places_of(const std::filesystem::path& path, const RunPlaces& run);

/// Replaces the path of every file of a configuration that no longer exists (data.train, .validation, .test,
/// .cache_dir, tokenizer.source_model and the other tokenizer files) by the first of its places_of() that exists, and
/// logs it; a file that is found nowhere keeps its path.
void follow_moved_run(Config& config, const RunPlaces& run);

/// Finds the text of a part of the data after the run, the text or both were moved: for each file the first of its
/// places_of() with the content of `sums`, else the first that exists. Logs each file that was found elsewhere, and
/// warns of other content. If `sums` is empty, the content is not compared. `key` names the files in messages
/// ("data.test"). Throws DataError with the paths searched if a file is not found.
[[nodiscard]] std::vector<CorpusFiles> find_moved_text(const std::vector<CorpusFiles>& files,
                                                       const std::vector<CorpusSum>& sums, const RunPlaces& run,
                                                       const std::string& key);

}  // namespace translate

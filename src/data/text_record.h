#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// A text file as it was when it was read.
struct TextFile {
  std::filesystem::path path;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< in the file system's own units; 0: cannot be relied on
  std::uint32_t crc32 = 0;    ///< of its bytes, packed where it is packed

  bool operator==(const TextFile&) const = default;
};

/// A corpus whose every line was read and found right.
struct CheckedCorpus {
  TextFile source;
  TextFile target;
  std::uint64_t lines = 0;  ///< of either file
  std::uint64_t blank = 0;  ///< pairs with an empty or blank side

  bool operator==(const CheckedCorpus&) const = default;
};

/// Several of them.
struct CheckedText {
  std::vector<CheckedCorpus> corpora;

  [[nodiscard]] std::uint64_t lines() const;
  [[nodiscard]] std::uint64_t blank() const;

  /// Equal for texts of the same content, wherever they lie: size and CRC-32 of each file.
  [[nodiscard]] std::string fingerprint() const;
};

/// What is known of text that was read before, kept in a file (text.json), so that it need not all be read at each
/// start. A file whose size and modification time are those of before is taken to be the same; one of another time, or
/// at another path, is read to compare its CRC-32; only text of another content is checked line by line.
class TextRecord {
 public:
  /// Reads the record; one that is missing or damaged knows nothing.
  explicit TextRecord(std::filesystem::path file);

  /// Checks the corpora. Throws DataError as PairReader does.
  [[nodiscard]] CheckedText check(std::span<const CorpusFiles> corpora);

  /// Writes the record with all that was checked since, making its folder where it is missing. Throws RuntimeError.
  void save() const;

 private:
  [[nodiscard]] CheckedCorpus check(const CorpusFiles& files);

  std::filesystem::path file_;
  std::vector<CheckedCorpus> known_;
  bool changed_ = false;
};

/// A text file by its content: equal sums mean the same text, wherever the file lies and whatever it is called.
struct TextSum {
  std::filesystem::path path;  ///< where it was, absolute
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;  ///< of its bytes, packed where it is packed

  bool operator==(const TextSum&) const = default;

  [[nodiscard]] bool has_content_of(const TextSum& other) const { return size == other.size && crc32 == other.crc32; }
};

struct CorpusSum {
  TextSum source;
  TextSum target;

  bool operator==(const CorpusSum&) const = default;
};

/// The text that a run was configured with, as data.json of its checkpoints keeps it. By these sums a resumed run knows
/// its text again, and translate-eval its test set, when the files were moved.
struct TextSums {
  std::vector<CorpusSum> train;
  std::vector<CorpusSum> validation;  ///< none where validation is a fraction
  std::vector<CorpusSum> test;        ///< none where the files were not there when training began

  bool operator==(const TextSums&) const = default;
};

/// The sums of text that was checked before.
[[nodiscard]] std::vector<CorpusSum> sums_of(const CheckedText& text);

/// The sum of a file; nothing where it cannot be read.
[[nodiscard]] std::optional<TextSum> sum_of_file(const std::filesystem::path& path);

/// The sums of all files, or none where one of them cannot be read.
[[nodiscard]] std::vector<CorpusSum> sums_of_files(const std::vector<CorpusFiles>& files);

/// The content of data.json. Throws RuntimeError where a path is not valid UTF-8.
[[nodiscard]] std::string text_sums_to_json(const TextSums& sums);

/// Reads it. Throws DataError calling the text `name` where it is not what text_sums_to_json gives.
[[nodiscard]] TextSums text_sums_from_json(const std::string& json, const std::string& name);

/// Where a run was when its configuration was written, and where it is now.
struct RunPlaces {
  std::filesystem::path then;  ///< run_dir of its configuration, absolute
  std::filesystem::path now;   ///< its folder; empty where that is not known (a checkpoint that was taken out of it)
};

/// The places where a file of a run may be, each once: first where it was, then at the same place as seen from the
/// run's folder, then, for a run that was trained in `runs/`, at the same place as seen from the folder that holds
/// `runs/`, which is now the current one.
[[nodiscard]] std::vector<std::filesystem::path> places_of(const std::filesystem::path& path, const RunPlaces& run);

/// Gives every file of a configuration that is no longer where it was (data.train, .validation, .test, .cache_dir,
/// tokenizer.source_model, .target_model) the first of its places that is there, which is told in the log; one that is
/// nowhere keeps its path.
void follow_moved_run(Config& config, const RunPlaces& run);

/// Finds the text of a part of the data where the run, the text or both were moved: for each file the first of its
/// places with the content of `sums`, else the first that is there. A file that was found elsewhere is told in the log;
/// one of other content is a warning. `sums` may be empty: then nothing is known of the content. `key` names the files
/// in messages ("data.test"). Throws DataError where a file is nowhere, saying where it was looked for.
[[nodiscard]] std::vector<CorpusFiles> find_moved_text(const std::vector<CorpusFiles>& files,
                                                       const std::vector<CorpusSum>& sums, const RunPlaces& run,
                                                       const std::string& key);

}  // namespace translate

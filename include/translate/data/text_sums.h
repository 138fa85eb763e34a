#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/data/text_record.h"

namespace translate {

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

}  // namespace translate

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "metrics/corpus_metric.h"

namespace translate::tools {

/// The names of the files of a test set, without their folders.
struct TestFiles {
  std::vector<std::string> source;
  std::vector<std::string> reference;

  bool operator==(const TestFiles&) const = default;
};

/// A test set as a run folder knows it: it is the same again if the names and the text are.
struct TestSet {
  TestFiles files;
  std::int64_t sentences = 0;
  std::uint32_t crc32 = 0;  ///< of all lines, the source's first

  bool operator==(const TestSet&) const = default;
};

/// Returns the test set of these files with this text.
[[nodiscard]] TestSet test_set_of(TestFiles files, const std::vector<std::string>& source, References references);

/// The file in a run folder that counts how often the run's checkpoints were scored on each test set.
inline constexpr const char* kTestScoringsFile = "test_scorings.json";

/// Counts one more scoring of a test set in a run folder and returns their number; several processes may do so at the
/// same time. Returns nothing, and changes nothing, if the folder is no run's or cannot be written; the same, with a
/// warning, if its file is damaged.
[[nodiscard]] std::optional<std::int64_t> count_test_scoring(const std::filesystem::path& run_folder,
                                                             const TestSet& set);

}  // namespace translate::tools

#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "config/json.h"
#include "serve/training/run_metrics.h"

namespace translate::tools {

/// The runs whose training a server shows. Only their metrics.jsonl and config.json are read, never written.
class TrainingRuns {
 public:
  /// `folders` are the run folders, as the user names them; they need not exist yet. Throws ConfigError if one is
  /// something else than a folder, or is named twice.
  explicit TrainingRuns(const std::vector<std::filesystem::path>& folders);

  /// Reads what is new and returns it for the page: {"runs": [...], "differences": [...]} (docs/serving.md). A run that
  /// cannot be read has the reason in its field "problem". Thread-safe.
  [[nodiscard]] Json json();

  /// The names of the runs: the last part of each folder's path, or the whole path if others have the same.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Run {
    std::string name;
    std::filesystem::path folder;
    RunMetrics metrics;
  };

  std::vector<Run> runs_;
  std::mutex mutex_;
};

}  // namespace translate::tools

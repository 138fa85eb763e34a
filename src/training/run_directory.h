#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_directory.h"
#include "config/options.h"
#include "core/file.h"
#include "core/held_file.h"

namespace translate {

/// The folder of one run: config.json, log.txt, metrics.jsonl, tokenizers/, checkpoints/. One trainer at a time.
class RunDirectory {
 public:
  explicit RunDirectory(const std::filesystem::path& path);

  /// Makes the folder where it is missing, takes its lock, opens log.txt and metrics.jsonl, and removes what a killed
  /// trainer left half-written. Throws ConfigError where another trainer holds the lock, RuntimeError where the
  /// folder cannot be written.
  void open();

  /// Throws ConfigError where the folder exists and another trainer holds its lock. Writes nothing.
  void check_free() const;

  /// Throws RuntimeError where the open folder was removed, replaced or renamed, or its lock file was: another trainer
  /// may then be at work at its path. `last_checkpoint`, where given and still there, is named.
  void check_in_place(const std::filesystem::path& last_checkpoint = {}) const;

  /// Where the open folder was renamed, everything goes to its new place from now on, where the lock still holds. True
  /// where that is so.
  [[nodiscard]] bool follow_move();

  /// Keeps what is there under another name (`<run>.previous-N`) and leaves the place empty.
  void set_aside() const;

  /// Checkpoints newer than `step` get the ending `.superseded`: a run that goes on from `step` makes its own.
  void supersede_after(std::int64_t step) const;

  /// Writes config.json. Throws as check_in_place does, and RuntimeError where it cannot be written.
  void write_config(const Config& config) const;

  /// Appends one JSON object to metrics.jsonl.
  void append_metrics(const std::string& json_line);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const CheckpointDirectory& checkpoints() const { return checkpoints_; }

 private:
  std::filesystem::path path_;
  CheckpointDirectory checkpoints_;
  std::optional<HeldFolder> held_;
  std::unique_ptr<LineAppender> metrics_;
};

/// Where `file` is the config.json of a run's folder, the run is the one in that folder, which may have been moved or
/// copied since: `run_dir` becomes that folder, and files of the configuration that are no longer there are looked for
/// as seen from it (follow_moved_run). An override of run_dir counts more. Any other file changes nothing.
void stay_in_run_folder(Config& config, const std::filesystem::path& file, const std::vector<std::string>& overrides);

}  // namespace translate

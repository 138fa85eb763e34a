#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_directory.h"
#include "config/options.h"
#include "core/held_folder.h"
#include "core/output_file.h"

namespace translate::trainer {

/// Takes the lock of a folder, which must exist, for as long as the result lives. Throws ConfigError if another trainer
/// holds it, RuntimeError if it cannot be taken.
[[nodiscard]] HeldFolder hold_folder(const std::filesystem::path& path);

/// The folder of one run: config.json, log.txt, metrics.jsonl, tensorboard/, tokenizers/, checkpoints/. One trainer at
/// a time.
class RunDirectory {
 public:
  explicit RunDirectory(const std::filesystem::path& path);

  /// Makes the folder if it is missing, takes its lock, opens log.txt and metrics.jsonl, and removes the half-written
  /// files of a killed trainer. Throws ConfigError if another trainer holds the lock, RuntimeError if the folder cannot
  /// be written.
  void open();

  /// Throws ConfigError if the folder exists and another trainer holds its lock. Writes nothing.
  void check_free() const;

  /// Throws RuntimeError if the open folder was removed, replaced or renamed, or if its lock file was: another trainer
  /// may then be at work at its path. The message names `last_checkpoint` if it is given and still there.
  void check_in_place(const std::filesystem::path& last_checkpoint = {}) const;

  /// If the open folder was renamed and the lock still holds, switches to its new path and returns true.
  [[nodiscard]] bool follow_move();

  /// Renames the existing folder to `<run>.previous-N`, so that its place is free.
  void set_aside() const;

  /// Gives checkpoints newer than `step` the ending `.superseded`: a run resumed from `step` makes its own.
  void supersede_after(std::int64_t step) const;

  /// Writes config.json. Throws as check_in_place does, and RuntimeError if it cannot be written.
  void write_config(const Config& config) const;

  /// Appends one JSON object to metrics.jsonl.
  void append_metrics(const std::string& json_line);

  /// Flushes metrics.jsonl to the disk, so that a loss of power leaves what was appended before.
  void flush_metrics();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const CheckpointDirectory& checkpoints() const { return checkpoints_; }

 private:
  void remove_temporary_files() const;

  std::filesystem::path path_;
  CheckpointDirectory checkpoints_;
  std::optional<HeldFolder> held_;
  std::unique_ptr<LineAppender> metrics_;
};

}  // namespace translate::trainer

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace translate {

/// The prefix of a checkpoint folder's name, before its step.
inline constexpr std::string_view kStepPrefix = "step-";

/// Returns the N of `step-N`, with or without leading zeros.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name);

/// Returns the N of `epoch-N`, with or without leading zeros.
[[nodiscard]] std::optional<std::int64_t> parse_epoch_name(std::string_view name);

/// A name for the mean of several checkpoints.
struct AverageName {
  bool of_best = false;    ///< averages those with the best scores, in place of the newest ones
  std::int64_t count = 0;  ///< the number of checkpoints; 0: all
};

/// Parses `average`, `average:N`, `average-best` and `average-best:N`; returns nothing for another name.
[[nodiscard]] std::optional<AverageName> parse_average_name(std::string_view name);

/// Throws CheckpointError if a folder is named after another step than its checkpoint has. A folder with any other name
/// may hold any checkpoint.
void check_step_name(const std::filesystem::path& folder, const Manifest& manifest);

/// The advice of error messages if nothing has been trained yet.
inline constexpr const char* kTrainFirst = "train first: translate-train --config FILE (en-fr.json, for one)";

/// The checkpoints of a run: `<run>/checkpoints/step-00002000` and so on, ordered by step. The methods that write
/// expect to be the only writer (the trainer holds a lock on the run); those that read may run at the same time.
class CheckpointDirectory {
 public:
  /// Returns true for latest, best, step-N, epoch-N, average, average:N, average-best and average-best:N, which name
  /// checkpoints of a run; anything else is a path.
  [[nodiscard]] static bool is_name(const std::string& name);

  /// The folder need not exist yet.
  explicit CheckpointDirectory(const std::filesystem::path& run_dir);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// The path of the checkpoint of a step: `step-` and at least eight digits.
  [[nodiscard]] std::filesystem::path path_of(std::int64_t step) const;
  /// The steps that have a folder, rising, whether whole or damaged.
  [[nodiscard]] std::vector<std::int64_t> steps() const;

  /// Returns the newest checkpoint that passes `verify`; damaged ones are named in a warning and skipped. Returns
  /// nothing if there is none (steps() tells whether there are damaged ones).
  [[nodiscard]] std::optional<Checkpoint> latest(Verify verify) const;
  /// Returns the checkpoint with the best validation score (see is_better; the earliest of equals) among those that
  /// pass `verify`; without scores, the same as `latest`. Scores of another metric than the newest score's do not
  /// count.
  [[nodiscard]] std::optional<Checkpoint> best(Verify verify) const;
  /// Resolves `name`: latest, best, step-N, epoch-N (the checkpoint at the end of the N-th epoch), both with or without
  /// leading zeros, or the path of a checkpoint folder. Throws ConfigError if there is no such checkpoint, listing the
  /// names that may be given; CheckpointError if it is damaged, or if all are.
  [[nodiscard]] Checkpoint resolve(const std::string& name, Verify verify) const;

  /// Returns the checkpoints that `name` refers to, newest first: for average all that pass `verify`, for average:N the
  /// N newest of them, for average-best those with a validation score or the N with the best ones, for anything else
  /// the result of `resolve`. If there are fewer than N, returns all of them, with a warning. Throws as resolve does.
  [[nodiscard]] std::vector<Checkpoint> resolve_all(const std::string& name, Verify verify) const;

  /// Returns true if fewer than `count` checkpoints have a score of this metric that is as good or better.
  [[nodiscard]] bool is_among_best(const ValidationScore& score, BestMetric metric, std::int64_t count) const;

  /// Creates the folder, makes room in it for a checkpoint of that step and returns its path: a damaged one of the same
  /// step is kept as `step-N.damaged` (`.damaged-2`, ...), a whole one stays, to be replaced. Throws RuntimeError.
  [[nodiscard]] std::filesystem::path make_room(std::int64_t step) const;
  /// Deletes whole checkpoints except the `keep_last` newest (at least 1) and the `keep_best` best ones. Damaged ones
  /// stay, for inspection. Warns of checkpoints that cannot be deleted.
  void prune(std::int64_t keep_last, std::int64_t keep_best) const;
  /// Removes the leftovers of a killed writer (`.tmp-*`). Warns of those that cannot be deleted.
  void clean_leftovers() const;

 private:
  struct Entry {
    std::int64_t step;
    std::filesystem::path path;
  };
  struct ScoredCheckpoint {
    std::filesystem::path path;
    Manifest manifest;
  };

  [[nodiscard]] std::vector<Entry> entries() const;
  /// The checkpoints with a score, best first.
  [[nodiscard]] std::vector<ScoredCheckpoint> candidates() const;
  /// The checkpoint at the end of the `epoch`-th epoch, or an empty path.
  [[nodiscard]] std::filesystem::path path_of_epoch(std::int64_t epoch) const;
  [[noreturn]] void fail_to_resolve(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace translate

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace translate {

/// What a checkpoint's folder is called, before its step.
inline constexpr std::string_view kStepPrefix = "step-";

/// The N of `step-N`, with or without leading zeros.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name);

/// The mean of several checkpoints.
struct AverageName {
  bool of_best = false;    ///< of those with the best scores, in place of the newest ones
  std::int64_t count = 0;  ///< of how many; 0: of all
};

/// What `average`, `average:N`, `average-best` and `average-best:N` mean; nothing for another name.
[[nodiscard]] std::optional<AverageName> parse_average_name(std::string_view name);

/// What an error message advises where nothing was trained yet.
inline constexpr const char* kTrainFirst = "train first: translate-train --config FILE (en-fr.json, for one)";

/// The checkpoints of a run: `<run>/checkpoints/step-00002000` and so on, ordered by step. The methods that write
/// expect to be the only writer (the trainer holds a lock on the run); those that read may run beside it.
class CheckpointDirectory {
 public:
  /// True for latest, best, step-N, average, average:N, average-best and average-best:N, which mean checkpoints of a
  /// run; anything else is a path.
  [[nodiscard]] static bool is_name(const std::string& name);

  /// The folder need not exist yet.
  explicit CheckpointDirectory(const std::filesystem::path& run_dir);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Where the checkpoint of a step stands: `step-` and at least eight digits.
  [[nodiscard]] std::filesystem::path path_of(std::int64_t step) const;
  /// The steps that have a folder, rising, whole or damaged.
  [[nodiscard]] std::vector<std::int64_t> steps() const;

  /// The newest checkpoint that passes `verify`; damaged ones are named in a warning and passed over.
  /// Nothing where there is none (steps() tells whether there are damaged ones).
  [[nodiscard]] std::optional<Checkpoint> latest(Verify verify) const;
  /// The one with the best validation score (the earliest of equals) among those that pass `verify`, else as `latest`.
  /// Scores of another metric than the newest score's do not count.
  [[nodiscard]] std::optional<Checkpoint> best(Verify verify) const;
  /// What `name` stands for: latest, best, step-N (leading zeros or not) or the path of a checkpoint folder.
  /// Throws ConfigError where there is no such checkpoint, saying what may be given; CheckpointError where it is
  /// damaged, or where all are.
  [[nodiscard]] Checkpoint resolve(const std::string& name, Verify verify) const;

  /// The checkpoints that `name` stands for, newest first: for average all that pass `verify`, for average:N the N
  /// newest of them, for average-best those with a validation score or the N with the best ones, for anything else the
  /// one that `resolve` gives. Where there are fewer than N, all there are, with a warning. Throws as resolve does.
  [[nodiscard]] std::vector<Checkpoint> resolve_all(const std::string& name, Verify verify) const;

  /// True where fewer than `count` checkpoints have a score of this metric that is as good or better.
  [[nodiscard]] bool is_among_best(double score, BestMetric metric, std::int64_t count) const;

  /// Makes the folder and room for a checkpoint of that step in it, whose path it returns: a damaged one of the same
  /// step is kept as `step-N.damaged` (`.damaged-2`, ...), a whole one stays, to be replaced. Throws RuntimeError.
  [[nodiscard]] std::filesystem::path make_room(std::int64_t step) const;
  /// Deletes whole checkpoints but the `keep_last` newest (1 at least) and the `keep_best` best ones. Damaged ones
  /// stay, for inspection. What cannot be deleted is a warning.
  void prune(std::int64_t keep_last, std::int64_t keep_best) const;
  /// Removes what a killed writer left behind (`.tmp-*`). What cannot be deleted is a warning.
  void clean_leftovers() const;

 private:
  struct Entry {
    std::int64_t step;
    std::filesystem::path path;
  };
  struct Candidate {
    std::filesystem::path path;
    Manifest manifest;
  };

  [[nodiscard]] std::vector<Entry> entries() const;
  /// Those with a score, best first.
  [[nodiscard]] std::vector<Candidate> candidates() const;
  [[noreturn]] void fail_to_resolve(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace translate

#include "checkpoint/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_directory.h"
#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "languages/language_names.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

using Time = fs::file_time_type;

/// Returns when `file` was written; nothing if it does not exist.
std::optional<Time> time_of(const fs::path& file) {
  std::error_code error;
  const Time time = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

/// Returns when the run was last written; nothing if the folder is not a run.
std::optional<Time> time_of_run(const fs::path& run) {
  const CheckpointDirectory checkpoints(run);
  std::optional<Time> newest = time_of(run / kConfigFile);
  for (const std::int64_t step : checkpoints.steps()) {
    newest = std::max(newest, time_of(checkpoints.path_of(step) / kManifestFile));
  }
  return newest;
}

bool is_path(const std::string& name) {
  std::error_code ignored;
  return !CheckpointDirectory::is_name(name) && fs::exists(name, ignored);
}

bool has_checkpoints(const fs::path& run) {
  std::error_code ignored;
  return fs::is_directory(run / kCheckpointsFolder, ignored);
}

/// Throws ConfigError if the folder is no checkpoint but a run, the folder of its checkpoints, or a folder of runs.
void refuse_run(const std::string& name, const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kManifestFile, ignored)) {
    return;
  }
  fs::path run = normalized_path(folder);
  if (run.filename() == kCheckpointsFolder) {
    run = run.parent_path();
  }
  if (!has_checkpoints(run)) {
    const auto runs = find_runs(run);
    if (runs.empty() || !has_checkpoints(runs.front().folder)) {
      return;
    }
    run = runs.front().folder;
  }
  throw ConfigError(fmt::format("checkpoint \"{0}\": not a checkpoint, but the run {1} has some: {1}/best, {1}/latest",
                                name, run.string()));
}

/// A run and a name in it.
struct PlaceInRun {
  fs::path run;
  std::string name;
};

/// Splits RUN/NAME; returns nothing if the name has no folder. Throws ConfigError if the folder is not a run.
std::optional<PlaceInRun> place_in_run(const std::string& text) {
  const fs::path path(text);
  if (!path.has_parent_path()) {
    return std::nullopt;
  }
  fs::path run = path.parent_path();
  if (run.filename() == kCheckpointsFolder) {
    run = run.parent_path();  // of a checkpoint that no longer exists
  }
  if (!CheckpointDirectory::is_name(path.filename().string()) || !has_checkpoints(run)) {
    throw ConfigError(fmt::format(
        "checkpoint \"{}\": no such checkpoint: expected the path of one, RUN/NAME with the folder of a run "
        "and a name such as latest, best or average:5, or a name alone",
        text));
  }
  return PlaceInRun{.run = std::move(run), .name = path.filename().string()};
}

}  // namespace

std::optional<FoundRun> find_run(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return std::nullopt;  // a file among the runs
  }
  const std::optional<Time> time = time_of_run(folder);
  return time ? std::optional(FoundRun{.folder = folder, .written = *time}) : std::nullopt;
}

std::vector<FoundRun> find_runs(const fs::path& runs_dir) {
  std::vector<FoundRun> runs;
  std::error_code error;
  for (fs::directory_iterator it(runs_dir, error), end; !error && it != end; it.increment(error)) {
    if (auto run = find_run(it->path())) {
      runs.push_back(std::move(*run));
    }
  }
  std::ranges::sort(runs, [](const FoundRun& left, const FoundRun& right) {
    return std::tie(left.written, left.folder) > std::tie(right.written, right.folder);
  });
  return runs;
}

fs::path find_latest_run(const fs::path& runs_dir) {
  const std::vector<FoundRun> runs = find_runs(runs_dir);
  if (runs.empty()) {
    throw ConfigError(
        fmt::format("no run in {}: name one with --run-dir, or {}", fs::absolute(runs_dir).string(), kTrainFirst));
  }
  return runs.front().folder;
}

namespace {

/// Returns the run that --run-dir names. Throws ConfigError if there is none.
FoundRun named_run(const fs::path& run_dir, const fs::path& runs_dir) {
  if (std::error_code ignored; fs::exists(run_dir / kManifestFile, ignored)) {
    throw ConfigError(
        fmt::format("--run-dir {0}: a checkpoint, not a run; its option is --checkpoint {0}", run_dir.string()));
  }
  if (auto run = find_run(run_dir)) {
    return std::move(*run);
  }
  const fs::path in_runs = runs_dir / run_dir;
  throw ConfigError(fmt::format("--run-dir {}: no run is there{}", run_dir.string(),
                                find_run(in_runs) ? fmt::format("; did you mean {}?", in_runs.string()) : ""));
}

}  // namespace

std::vector<Checkpoint> open_checkpoints(const std::string& name, const fs::path& run_dir, const fs::path& runs_dir,
                                         Verify verify) {
  if (is_path(name)) {
    refuse_run(name, name);
    return {Checkpoint(name, verify)};
  }
  if (!CheckpointDirectory::is_name(name)) {
    refuse_run(name, runs_dir / name);
  }
  if (const auto place = place_in_run(name)) {
    return CheckpointDirectory(place->run).resolve_all(place->name, verify);
  }
  const fs::path run = run_dir.empty() ? find_latest_run(runs_dir) : named_run(run_dir, runs_dir).folder;
  return CheckpointDirectory(run).resolve_all(name, verify);
}

namespace fs = std::filesystem;

namespace {

/// Returns the bytes of all files in a folder, as far as they can be read.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) {
      const std::uintmax_t size = it->file_size(ignored);
      bytes += ignored ? 0 : size;
    }
  }
  return bytes;
}

fs::file_time_type time_of_checkpoint(const fs::path& folder) {
  std::error_code error;
  auto time = fs::last_write_time(folder / kManifestFile, error);
  if (error) {
    time = fs::last_write_time(folder, error);
  }
  return error ? fs::file_time_type() : time;
}

/// Leaves the languages empty if the file is missing or of another version: a list should not fail for that.
void read_languages(RunSummary& run) {
  try {
    const fs::path file = run.folder / kConfigFile;
    const Config config = config_from_json_text(read_file(file), file.string(), run.folder);
    run.languages = language_pairs(config.data);
  } catch (const Error&) {
    run.languages.clear();
  }
}

/// A checkpoint, with its manifest if it is whole.
struct Found {
  CheckpointSummary summary;
  std::optional<Manifest> manifest;
};

Found find_checkpoint(const fs::path& folder, std::int64_t step) {
  Found found;
  found.summary.step = step;
  found.summary.bytes = bytes_in(folder);
  found.summary.written = time_of_checkpoint(folder);
  try {
    const Checkpoint checkpoint(folder, Verify::kListing);
    check_step_name(folder, checkpoint.manifest());
    found.manifest = checkpoint.manifest();
    found.summary.score = found.manifest->score;
  } catch (const Error& error) {
    log_warning(fmt::format("checkpoint {} is damaged: {}", folder.string(), error.what()));
    found.summary.damaged = true;
  }
  return found;
}

/// Marks the latest and the best checkpoint, as CheckpointDirectory defines them. `checkpoints`: the newest first.
void mark(std::vector<Found>& checkpoints) {
  Found* latest = nullptr;
  Found* best = nullptr;
  for (Found& found : checkpoints) {
    if (!found.manifest) {
      continue;
    }
    if (latest == nullptr) {
      latest = &found;
    }
    const auto score = found.manifest->validation();
    const bool comparable = score && (best == nullptr || best->manifest->metric == found.manifest->metric);
    // The earliest of equals: checkpoints come in the order of falling steps.
    if (comparable && (best == nullptr || !is_better(found.manifest->metric, *best->manifest->validation(), *score))) {
      best = &found;
    }
  }
  if (latest != nullptr) {
    latest->summary.is_latest = true;
  }
  if (best != nullptr) {
    best->summary.is_best = true;
  }
}

RunSummary summarise_run(const FoundRun& found_run) {
  RunSummary run;
  run.folder = found_run.folder;
  run.written = found_run.written;
  run.bytes = bytes_in(found_run.folder);
  read_languages(run);
  std::vector<Found> checkpoints;
  std::error_code error;
  for (fs::directory_iterator it(found_run.folder / kCheckpointsFolder, error), end; !error && it != end;
       it.increment(error)) {
    if (const auto step = parse_step_name(it->path().filename().string())) {
      checkpoints.push_back(find_checkpoint(it->path(), *step));
    }
  }
  std::ranges::sort(checkpoints, std::ranges::greater(), [](const Found& found) { return found.summary.step; });
  mark(checkpoints);
  for (const Found& found : checkpoints) {
    if (found.summary.is_latest) {
      run.step = found.summary.step;
      run.metric = found.manifest->metric;
      if (found.manifest->best) {
        run.best_score = found.manifest->best->score;
      }
    }
    run.checkpoints.push_back(found.summary);
  }
  return run;
}

}  // namespace

std::vector<RunSummary> list_runs(const fs::path& run_dir, const fs::path& runs_dir) {
  std::vector<FoundRun> found;
  if (run_dir.empty()) {
    found = find_runs(runs_dir);
  } else {
    found.push_back(named_run(run_dir, runs_dir));
  }
  std::vector<RunSummary> runs;
  for (const FoundRun& run : found) {
    runs.push_back(summarise_run(run));
    runs.back().is_default = run_dir.empty() && runs.size() == 1;
  }
  return runs;
}

}  // namespace translate

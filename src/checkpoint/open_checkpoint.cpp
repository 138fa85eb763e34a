#include "translate/checkpoint/open_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "translate/checkpoint/checkpoint_directory.h"
#include "translate/core/error.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

using Time = fs::file_time_type;

/// When `file` was written; nothing where it is not there.
std::optional<Time> time_of(const fs::path& file) {
  std::error_code error;
  const Time time = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

/// When the run was written last; nothing where the folder is not a run.
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

/// A name in a run that is named with it.
struct PlaceInRun {
  fs::path run;
  std::string name;
};

/// What RUN/NAME stands for; nothing where there is no folder in the name. Throws ConfigError where that is no run.
std::optional<PlaceInRun> place_in_run(const std::string& text) {
  const fs::path path(text);
  if (!path.has_parent_path()) return std::nullopt;
  fs::path run = path.parent_path();
  if (run.filename() == kCheckpointsFolder) run = run.parent_path();  // of a checkpoint that is no more
  if (!CheckpointDirectory::is_name(path.filename().string()) || !fs::is_directory(run / kCheckpointsFolder)) {
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
  if (!fs::is_directory(folder, ignored)) return std::nullopt;  // a file among the runs
  const std::optional<Time> time = time_of_run(folder);
  return time ? std::optional(FoundRun{.folder = folder, .written = *time}) : std::nullopt;
}

std::vector<FoundRun> find_runs(const fs::path& runs_dir) {
  std::vector<FoundRun> runs;
  std::error_code error;
  for (fs::directory_iterator it(runs_dir, error), end; !error && it != end; it.increment(error)) {
    if (auto run = find_run(it->path())) runs.push_back(std::move(*run));
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

std::vector<Checkpoint> open_checkpoints(const std::string& name, const fs::path& run_dir, const fs::path& runs_dir,
                                         Verify verify) {
  if (is_path(name)) return {Checkpoint(name, verify)};
  if (const auto place = place_in_run(name)) return CheckpointDirectory(place->run).resolve_all(place->name, verify);
  return CheckpointDirectory(run_dir.empty() ? find_latest_run(runs_dir) : run_dir).resolve_all(name, verify);
}

}  // namespace translate

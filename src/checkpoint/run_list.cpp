#include "translate/checkpoint/run_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

#include "translate/checkpoint/checkpoint.h"
#include "translate/checkpoint/checkpoint_directory.h"
#include "translate/checkpoint/checkpoint_names.h"
#include "translate/checkpoint/open_checkpoint.h"
#include "translate/config/config_file.h"
#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/core/logging.h"
#include "translate/data/language_names.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

/// Of all files in a folder, as far as they can be read.
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
  if (error) time = fs::last_write_time(folder, error);
  return error ? fs::file_time_type() : time;
}

/// Empty labels where the file is missing or of another version: a list is no place to fail for that.
void read_languages(RunSummary& run) {
  try {
    const fs::path file = run.folder / kConfigFile;
    const Config config = config_from_json_text(read_file(file), file.string(), run.folder);
    auto codes = language_codes(config.data);
    run.source_language = std::move(codes.source);
    run.target_language = std::move(codes.target);
  } catch (const Error&) {
    run.source_language.clear();
  }
}

/// With the manifest, where the checkpoint is whole.
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
    found.manifest = Checkpoint(folder, Verify::kListing).manifest();
    found.summary.score = found.manifest->score;
  } catch (const Error& error) {
    log_warning(fmt::format("checkpoint {} is damaged: {}", folder.string(), error.what()));
    found.summary.damaged = true;
  }
  return found;
}

/// Marks what CheckpointDirectory calls latest and best. `checkpoints`: the newest first.
void mark(std::vector<Found>& checkpoints) {
  Found* latest = nullptr;
  Found* best = nullptr;
  for (Found& found : checkpoints) {
    if (!found.manifest) continue;
    if (latest == nullptr) latest = &found;
    const auto& score = found.manifest->score;
    const bool comparable = score && (best == nullptr || best->manifest->metric == found.manifest->metric);
    // The earliest of equals: they come in the order of falling steps.
    if (comparable && (best == nullptr || !is_better(found.manifest->metric, *best->summary.score, *score))) {
      best = &found;
    }
  }
  if (latest != nullptr) latest->summary.is_latest = true;
  if (best != nullptr) best->summary.is_best = true;
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
      if (found.manifest->best) run.best_score = found.manifest->best->score;
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
  } else if (auto run = find_run(run_dir)) {
    found.push_back(std::move(*run));
  } else {
    throw ConfigError(fmt::format("--run-dir {}: no run is there", run_dir.string()));
  }
  std::vector<RunSummary> runs;
  for (const FoundRun& run : found) {
    runs.push_back(summarise_run(run));
    runs.back().is_default = run_dir.empty() && runs.size() == 1;
  }
  return runs;
}

}  // namespace translate

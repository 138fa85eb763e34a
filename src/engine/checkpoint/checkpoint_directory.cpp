#include "checkpoint/checkpoint_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"

namespace translate {

namespace {

/// Returns the number after `prefix`, if the name has nothing else.
std::optional<std::int64_t> parse_number(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || name.front() == '-') {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<std::int64_t> parse_step_name(std::string_view name) { return parse_number(kStepPrefix, name); }

std::optional<std::int64_t> parse_epoch_name(std::string_view name) { return parse_number("epoch-", name); }

std::optional<AverageName> parse_average_name(std::string_view name) {
  if (name == "average") {
    return AverageName{};
  }
  if (name == "average-best") {
    return AverageName{.of_best = true, .count = 0};
  }
  const bool of_best = name.starts_with("average-best:");
  const auto count = parse_number(of_best ? "average-best:" : "average:", name);
  if (!count || *count == 0) {
    return std::nullopt;
  }
  return AverageName{.of_best = of_best, .count = *count};
}

namespace fs = std::filesystem;

void check_step_name(const fs::path& folder, const Manifest& manifest) {
  const auto step = parse_step_name(normalized_path(folder).filename().string());
  if (!step || *step == manifest.step) {
    return;
  }
  throw CheckpointError(fmt::format(
      "{}: holds the checkpoint of step {}, not of step {}, as a copy under another name does; move it out of the run",
      folder.string(), manifest.step, *step));
}

namespace {

constexpr std::string_view kTemporaryPrefix = ".tmp-";

/// Returns the folders and files in `folder`, by name; none if it is missing.
std::vector<fs::path> list(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    paths.push_back(it->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw RuntimeError(fmt::format("cannot read the folder {}: {}", folder.string(), error.message()));
  }
  std::ranges::sort(paths);
  return paths;
}

/// Opens a checkpoint in the folder of a run. Throws CheckpointError if it is damaged or has another step's name.
Checkpoint open_of_run(const fs::path& path, Verify verify) {
  Checkpoint checkpoint(path, verify);
  check_step_name(path, checkpoint.manifest());
  return checkpoint;
}

/// Returns the checkpoint, or nothing with a warning if it is damaged or has another step's name.
std::optional<Checkpoint> open_or_pass_over(const fs::path& path, Verify verify) {
  try {
    return open_of_run(path, verify);
  } catch (const Error& error) {
    log_warning(
        fmt::format("checkpoint {} is skipped, and kept for inspection: {}", path.filename().string(), error.what()));
    return std::nullopt;
  }
}

/// Returns the first checkpoint that is not damaged; if others were skipped, a warning names it.
std::optional<Checkpoint> first_whole(const std::vector<fs::path>& paths, Verify verify) {
  for (const fs::path& path : paths) {
    auto checkpoint = open_or_pass_over(path, verify);
    if (!checkpoint) {
      continue;
    }
    if (path != paths.front()) {
      log_warning(fmt::format("using checkpoint {} instead", path.filename().string()));
    }
    return checkpoint;
  }
  return std::nullopt;
}

bool is_whole(const fs::path& path) {
  try {
    const auto manifest = read_manifest(path);
    check_step_name(path, manifest);
    verify_files(path, manifest, Verify::kSizes);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Returns the number of epochs after which the training state in `folder` was saved; nothing if an epoch had begun, or
/// if the folder has no readable training state.
std::optional<std::int64_t> whole_epochs(const fs::path& folder) {
  const fs::path file = folder / kTrainingCountersFile;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    return std::nullopt;
  }
  try {
    const auto fields = parse_json_object(read_file(file), file);
    const auto epoch = fields.member("epoch").integer(at_least(0));
    return fields.member("batches_in_epoch").integer(at_least(0)) == 0 ? std::optional(epoch) : std::nullopt;
  } catch (const Error& error) {
    log_warning(error.what());
    return std::nullopt;
  }
}

void remove_or_warn(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) {
    log_warning(fmt::format("cannot delete {}: {}", path.string(), error.message()));
  }
}

fs::path name_for_damaged(const fs::path& path) {
  fs::path name = path.string() + ".damaged";
  for (int count = 2; fs::exists(name); ++count) {
    name = fmt::format("{}.damaged-{}", path.string(), count);
  }
  return name;
}

}  // namespace

bool CheckpointDirectory::is_name(const std::string& name) {
  return name == "latest" || name == "best" || parse_step_name(name).has_value() ||
         parse_epoch_name(name).has_value() || parse_average_name(name).has_value();
}

CheckpointDirectory::CheckpointDirectory(const fs::path& run_dir) : folder_(run_dir / kCheckpointsFolder) {}

fs::path CheckpointDirectory::path_of(std::int64_t step) const {
  return folder_ / fmt::format("{}{:08}", kStepPrefix, step);
}

std::vector<CheckpointDirectory::Entry> CheckpointDirectory::entries() const {
  std::vector<Entry> entries;
  for (const fs::path& path : list(folder_)) {
    if (const auto step = parse_step_name(path.filename().string())) {
      entries.push_back({*step, path});
    }
  }
  std::ranges::stable_sort(entries, {}, &Entry::step);
  return entries;
}

fs::path CheckpointDirectory::path_of_epoch(std::int64_t epoch) const {
  for (const Entry& entry : entries()) {
    if (whole_epochs(entry.path) == epoch) {
      return entry.path;
    }
  }
  return {};
}

std::vector<std::int64_t> CheckpointDirectory::steps() const {
  std::vector<std::int64_t> steps;
  for (const Entry& entry : entries()) {
    steps.push_back(entry.step);
  }
  return steps;
}

std::optional<Checkpoint> CheckpointDirectory::latest(Verify verify) const {
  std::vector<fs::path> newest_first;
  for (const Entry& entry : entries()) {
    newest_first.push_back(entry.path);
  }
  std::ranges::reverse(newest_first);
  return first_whole(newest_first, verify);
}

std::vector<CheckpointDirectory::ScoredCheckpoint> CheckpointDirectory::candidates() const {
  std::vector<ScoredCheckpoint> scored;
  for (const Entry& entry : entries()) {
    try {
      ScoredCheckpoint candidate{entry.path, read_manifest(entry.path)};
      check_step_name(candidate.path, candidate.manifest);
      if (candidate.manifest.score) {
        scored.push_back(std::move(candidate));
      }
    } catch (const Error&) {
      continue;  // damaged: its score is unknown; `latest` names it
    }
  }
  if (scored.empty()) {
    return scored;
  }
  const BestMetric metric = scored.back().manifest.metric;
  std::erase_if(scored, [metric](const ScoredCheckpoint& candidate) { return candidate.manifest.metric != metric; });
  std::ranges::stable_sort(scored, [metric](const ScoredCheckpoint& left, const ScoredCheckpoint& right) {
    return is_better(metric, *left.manifest.validation(), *right.manifest.validation());
  });
  return scored;
}

std::optional<Checkpoint> CheckpointDirectory::best(Verify verify) const {
  std::vector<fs::path> best_first;
  for (const ScoredCheckpoint& candidate : candidates()) {
    best_first.push_back(candidate.path);
  }
  return first_whole(best_first, verify);
}

Checkpoint CheckpointDirectory::resolve(const std::string& name, Verify verify) const {
  if (parse_average_name(name)) {
    throw ConfigError(fmt::format(
        "checkpoint \"{}\": training cannot resume from the mean of several checkpoints: name one of them", name));
  }
  if (name == "latest" || name == "best") {
    if (auto checkpoint = name == "latest" ? latest(verify) : best(verify)) {
      return *checkpoint;
    }
    fail_to_resolve(name);
  }
  if (const auto step = parse_step_name(name)) {
    for (const Entry& entry : entries()) {
      if (entry.step == *step) {
        return open_of_run(entry.path, verify);
      }
    }
  }
  if (const auto epoch = parse_epoch_name(name)) {
    if (const fs::path path = path_of_epoch(*epoch); !path.empty()) {
      return open_of_run(path, verify);
    }
  }
  std::error_code ignored;
  if (is_name(name) || !fs::exists(name, ignored)) {
    fail_to_resolve(name);
  }
  const bool is_of_run = fs::equivalent(folder_of(normalized_path(name)), folder_, ignored);
  return is_of_run ? open_of_run(name, verify) : Checkpoint(name, verify);
}

std::vector<Checkpoint> CheckpointDirectory::resolve_all(const std::string& name, Verify verify) const {
  const auto wanted = parse_average_name(name);
  if (!wanted) {
    return {resolve(name, verify)};
  }
  std::vector<fs::path> paths;
  if (wanted->of_best) {
    for (const ScoredCheckpoint& candidate : candidates()) {
      paths.push_back(candidate.path);
    }
  } else {
    for (const Entry& entry : entries()) {
      paths.insert(paths.begin(), entry.path);
    }
  }
  std::vector<Checkpoint> checkpoints;
  for (const fs::path& path : paths) {
    if (wanted->count > 0 && std::ssize(checkpoints) == wanted->count) {
      break;
    }
    if (auto checkpoint = open_or_pass_over(path, verify)) {
      checkpoints.push_back(*checkpoint);
    }
  }
  if (checkpoints.empty()) {
    fail_to_resolve(name);
  }
  if (std::ssize(checkpoints) < wanted->count) {
    log_warning(
        fmt::format("checkpoint \"{}\": {} holds {}{}; using {} (training.{} keeps more)", name, folder_.string(),
                    counted(checkpoints.size(), "whole checkpoint"), wanted->of_best ? " with a validation score" : "",
                    checkpoints.size() == 1 ? "that one" : "their mean", wanted->of_best ? "keep_best" : "keep_last"));
  }
  std::ranges::sort(checkpoints, std::ranges::greater(), &Checkpoint::step);
  return checkpoints;
}

bool CheckpointDirectory::is_among_best(const ValidationScore& score, BestMetric metric, std::int64_t count) const {
  for (const ScoredCheckpoint& candidate : candidates()) {
    if (candidate.manifest.metric == metric && !is_better(metric, score, *candidate.manifest.validation())) {
      --count;
    }
  }
  return count > 0;
}

void CheckpointDirectory::fail_to_resolve(const std::string& name) const {
  constexpr std::size_t kShown = 10;
  const std::vector<std::int64_t> all = steps();
  if (all.empty()) {
    throw ConfigError(fmt::format("checkpoint \"{}\": there is none in {}; {}", name, folder_.string(), kTrainFirst));
  }
  std::string there;
  for (std::size_t i = all.size() - std::min(all.size(), kShown); i < all.size(); ++i) {
    there += fmt::format("{}{}{}", there.empty() ? "" : ", ", kStepPrefix, all[i]);
  }
  const auto average = parse_average_name(name);
  const bool of_best = name == "best" || (average && average->of_best);
  const bool of_all = name == "latest" || (average && !average->of_best);
  const std::string_view why = of_all    ? "all checkpoints are damaged"
                               : of_best ? "no whole checkpoint has a validation score"
                                         : "no such checkpoint";
  const auto message = fmt::format(
      "checkpoint \"{}\": {}; expected latest, best, average, average-best, step-N, epoch-N (at the end of an epoch) "
      "or the path of a checkpoint folder; there are {} in {}",
      name, why, there, folder_.string());
  if (of_all) {
    throw CheckpointError(message);  // there are some, but all are damaged: the disk's fault
  }
  throw ConfigError(message);
}

fs::path CheckpointDirectory::make_room(std::int64_t step) const {
  make_folder(folder_);
  const fs::path path = path_of(step);
  if (fs::exists(path) && !open_or_pass_over(path, Verify::kFull)) {
    const fs::path aside = name_for_damaged(path);
    std::error_code error;
    fs::rename(path, aside, error);
    if (error) {
      throw RuntimeError(fmt::format("cannot rename {}: {}", path.string(), error.message()));
    }
  }
  return path;
}

void CheckpointDirectory::prune(std::int64_t keep_last, std::int64_t keep_best) const {
  std::vector<fs::path> whole;  // by step; damaged ones are neither counted nor deleted
  for (const Entry& entry : entries()) {
    if (is_whole(entry.path)) {
      whole.push_back(entry.path);
    }
  }
  const std::size_t newest = std::min(whole.size(), static_cast<std::size_t>(std::max<std::int64_t>(keep_last, 1)));
  std::set<fs::path> kept(whole.end() - static_cast<std::ptrdiff_t>(newest), whole.end());
  for (const ScoredCheckpoint& candidate : candidates()) {
    if (keep_best <= 0) {
      break;
    }
    if (!is_whole(candidate.path)) {
      continue;
    }
    kept.insert(candidate.path);
    --keep_best;
  }
  // Renamed and flushed first: a crash in the middle then leaves leftovers, not damaged checkpoints.
  std::vector<fs::path> removed;
  for (const fs::path& path : whole) {
    if (kept.contains(path)) {
      continue;
    }
    const fs::path doomed = folder_ / fmt::format("{}{}-removed", kTemporaryPrefix, path.filename().string());
    std::error_code error;
    fs::rename(path, doomed, error);
    if (error) {
      log_warning(fmt::format("cannot delete {}: {}", path.string(), error.message()));
    } else {
      removed.push_back(doomed);
    }
  }
  if (removed.empty()) {
    return;
  }
  try {
    sync_directory(folder_);
  } catch (const RuntimeError& error) {
    log_warning(fmt::format("checkpoints are not deleted yet: {}", error.what()));
    return;
  }
  for (const fs::path& path : removed) {
    remove_or_warn(path);
  }
}

void CheckpointDirectory::clean_leftovers() const {
  for (const fs::path& path : list(folder_)) {
    if (!path.filename().string().starts_with(kTemporaryPrefix)) {
      continue;
    }
    log_info(fmt::format("removing {}, left behind by a stopped process", path.string()));
    remove_or_warn(path);
  }
}

}  // namespace translate

#include "training/run_directory.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_lock.h"
#include "core/logging.h"

namespace translate::trainer {

namespace {

constexpr const char* kLockFile = ".lock";

/// Returns the first name `<path><ending>N`, N from 1, that is not taken.
std::filesystem::path free_name(const std::filesystem::path& path, const std::string& ending) {
  for (int number = 1;; ++number) {
    auto candidate = path;
    candidate += ending + std::to_string(number);
    if (!std::filesystem::exists(candidate)) {
      return candidate;
    }
  }
}

ConfigError locked(const std::filesystem::path& path) {
  return ConfigError(fmt::format(
      "{}: another trainer is using this run folder; wait for it, stop it, or choose another folder with --run-dir DIR",
      path.string()));
}

}  // namespace

HeldFolder hold_folder(const std::filesystem::path& path) {
  auto held = HeldFolder::try_hold(path, kLockFile);
  if (!held) {
    throw locked(path);
  }
  return *std::move(held);
}

RunDirectory::RunDirectory(const std::filesystem::path& path) : path_(path), checkpoints_(path) {}

void RunDirectory::check_free() const {
  if (std::filesystem::exists(path_ / kLockFile) && !FileLock::try_lock(path_ / kLockFile)) {
    throw locked(path_);
  }
}

void RunDirectory::open() {
  make_folder(path_);
  held_ = hold_folder(path_);
  check_in_place();
  add_log_file(path_ / "log.txt");
  metrics_ = std::make_unique<LineAppender>(path_ / "metrics.jsonl");
  remove_temporary_files();
  checkpoints_.clean_leftovers();
}

void RunDirectory::remove_temporary_files() const {
  for (const auto& folder : {path_, path_ / "tokenizers", path_ / "corpus"}) {
    for (const auto& file : temporary_files_in(folder)) {
      log_info(fmt::format("removing {}, left behind by a stopped process", file.string()));
      std::error_code error;
      std::filesystem::remove(file, error);
      if (error) {
        log_warning(fmt::format("cannot delete {}: {}", file.string(), error.message()));
      }
    }
  }
}

void RunDirectory::check_in_place(const std::filesystem::path& last_checkpoint) const {
  switch (held_ ? held_->state() : HeldFolder::State::kInPlace) {
    case HeldFolder::State::kInPlace:
      return;
    case HeldFolder::State::kMoved:
      throw RuntimeError(
          fmt::format("{}: the run folder was moved to {} while this program was working in it, so it stops; --run-dir "
                      "with the new path goes on there",
                      path_.string(), held_->current_path().value_or("another place").string()));
    case HeldFolder::State::kLockGone: {
      std::error_code ignored;
      const bool is_there = !last_checkpoint.empty() && std::filesystem::exists(last_checkpoint, ignored);
      throw RuntimeError(
          fmt::format("{}: the lock file {} of the run folder was removed or replaced while this program was working "
                      "there, so that another trainer may be at work in it; nothing more is written{}",
                      path_.string(), kLockFile,
                      is_there ? "; the last checkpoint is " + last_checkpoint.string() : "; there is no checkpoint"));
    }
    case HeldFolder::State::kFolderGone:
      throw RuntimeError(
          fmt::format("{}: the run folder was removed{} while this program was working in it; its checkpoints and logs "
                      "are lost, and nothing more is written",
                      path_.string(), std::filesystem::exists(path_) ? " and another one made in its place" : ""));
  }
}

bool RunDirectory::follow_move() {
  if (!held_ || held_->state() != HeldFolder::State::kMoved) {
    return false;
  }
  const auto now = held_->current_path();
  if (!now) {
    return false;
  }
  path_ = *now;
  checkpoints_ = CheckpointDirectory(path_);
  held_->expect_at(path_);
  return true;
}

void RunDirectory::set_aside() const {
  if (!std::filesystem::exists(path_)) {
    return;
  }
  const auto kept = free_name(path_, ".previous-");
  std::error_code error;
  std::filesystem::rename(path_, kept, error);
  if (error) {
    throw RuntimeError(fmt::format("{}: cannot be renamed to {}: {}", path_.string(), kept.string(), error.message()));
  }
  log_info(fmt::format("the run that was in {} is now {}", path_.string(), kept.string()));
}

void RunDirectory::supersede_after(std::int64_t step) const {
  for (const auto newer : checkpoints_.steps()) {
    if (newer <= step) {
      continue;
    }
    const auto from = checkpoints_.path_of(newer);
    const auto to = free_name(from, ".superseded-");
    std::error_code error;
    std::filesystem::rename(from, to, error);
    if (error) {
      throw RuntimeError(fmt::format("{}: cannot be renamed: {}", from.string(), error.message()));
    }
    log_warning(fmt::format("{} is newer than the checkpoint that this run resumes from; kept as {}",
                            from.filename().string(), to.filename().string()));
  }
}

void RunDirectory::write_config(const Config& config) const {
  check_in_place();
  write_file_atomically(path_ / "config.json", config_to_json(config) + "\n");
}

void RunDirectory::append_metrics(const std::string& json_line) { metrics_->append(json_line); }

void RunDirectory::flush_metrics() { metrics_->flush(); }

}  // namespace translate::trainer

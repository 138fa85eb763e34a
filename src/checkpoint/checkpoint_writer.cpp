#include "translate/checkpoint/checkpoint_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>  // renameat2
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "translate/config/config_file.h"
#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/text/tokenizer.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_write(const fs::path& path, const std::error_code& error) {
  throw RuntimeError(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

/// A folder that is removed again, with all that is in it, unless it got its final name before.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    fs::remove_all(path_, error);  // a leftover of an earlier process of the same number
    if (fs::create_directory(path_, error)) return;
    fail_to_write(path_, error ? error : std::make_error_code(std::errc::file_exists));
  }

  ~TemporaryFolder() {
    std::error_code ignored;  // what went wrong before is what the user must hear
    fs::remove_all(path_, ignored);
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  /// Gives the folder its name. Where a checkpoint of that name is there, the two change places in one move, and the
  /// destructor removes the old one.
  void rename_to(const fs::path& name) const {
    if (::rename(path_.c_str(), name.c_str()) == 0) return;
    if (errno == ENOTEMPTY || errno == EEXIST) {
      if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_EXCHANGE) == 0) return;
      if (errno == EINVAL || errno == ENOSYS) return replace(name);  // a file system that cannot exchange (NFS)
    }
    fail_to_write(name, {errno, std::generic_category()});
  }

 private:
  /// The same in two moves, with a moment between them in which neither has the name.
  void replace(const fs::path& name) const {
    const fs::path aside = path_.string() + "-replaced";
    std::error_code error;
    std::error_code ignored;
    fs::rename(name, aside, error);
    if (!error) {
      fs::rename(path_, name, error);
      fs::rename(aside, error ? name : path_, ignored);  // back, or to where the destructor removes it
    }
    if (error) fail_to_write(name, error);
  }

  fs::path path_;
};

void check_contents(const fs::path& folder, const CheckpointContents& contents) {
  if (contents.training_state && contents.training_state->step != contents.step) {
    throw CheckpointError(fmt::format("{}: weights of step {} do not match a training state of step {}",
                                      folder.string(), contents.step, contents.training_state->step));
  }
  if (contents.source_tokenizer.empty() || contents.target_tokenizer.empty()) {
    throw CheckpointError(fmt::format("{}: a checkpoint needs both tokenizers", folder.string()));
  }
}

Manifest write_files(const fs::path& folder, const CheckpointContents& contents) {
  Manifest manifest;
  manifest.step = contents.step;
  manifest.metric = contents.config.training.best_metric;
  manifest.score = contents.score;
  auto& files = manifest.files;
  files[kModelFile] = write_safetensors(folder / kModelFile, contents.weights, {{"format", "pt"}});
  files[kConfigFile] = write_digested_file(folder / kConfigFile, config_to_json(contents.config));
  const auto write_tokenizer = [&](const std::string& name, const std::string& serialized) {
    const std::string file = name + tokenizer_file_extension(serialized);
    files[file] = write_digested_file(folder / file, serialized);
  };
  write_tokenizer(kSourceTokenizer, contents.source_tokenizer);
  write_tokenizer(kTargetTokenizer, contents.target_tokenizer);
  if (contents.text) {
    files[kTextSumsFile] = write_digested_file(folder / kTextSumsFile, text_sums_to_json(*contents.text));
  }
  if (contents.training_state) {
    const TrainingState& state = *contents.training_state;
    manifest.best = state.best_validation;
    files[kTrainingTensorsFile] = write_safetensors(folder / kTrainingTensorsFile, training_state_tensors(state));
    files[kTrainingCountersFile] =
        write_digested_file(folder / kTrainingCountersFile, training_state_json(state, folder / kTrainingCountersFile));
  }
  return manifest;
}

}  // namespace

void write_checkpoint(const fs::path& folder, const CheckpointContents& contents) {
  check_contents(folder, contents);
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  const TemporaryFolder temporary(parent / fmt::format(".tmp-{}-{}", folder.filename().string(), ::getpid()));
  write_manifest(temporary.path(), write_files(temporary.path(), contents));
  sync_directory(temporary.path());
  temporary.rename_to(folder);
  sync_directory(parent);
}

fs::path save_checkpoint(const CheckpointDirectory& directory, const CheckpointContents& contents) {
  const fs::path path = directory.make_room(contents.step);
  write_checkpoint(path, contents);
  return path;
}

}  // namespace translate

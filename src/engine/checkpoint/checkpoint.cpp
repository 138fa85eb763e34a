#include "checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "core/stable_file.h"

namespace translate {

namespace fs = std::filesystem;

Checkpoint::Checkpoint(const fs::path& folder, Verify verify)
    : folder_(folder), manifest_(read_manifest(folder)), verified_(verify_files(folder_, manifest_, verify)) {}

StableFile Checkpoint::open(const std::string& name) const {
  const auto verified = verified_.find(name);
  return verified == verified_.end() ? StableFile(folder_ / name) : StableFile(folder_ / name, verified->second);
}

NamedArrays Checkpoint::weights() const { return SafetensorsFile(open(kModelFile)).arrays(); }

Config Checkpoint::config() const {
  const fs::path file = folder_ / kConfigFile;
  try {
    return config_from_json_text(open(kConfigFile).read_all(), file.string(), folder_);
  } catch (const ConfigError& error) {
    // Not the user's mistake: a program wrote the file.
    throw CheckpointError(
        fmt::format("{} (a checkpoint's configuration: damaged, or of another version)", error.what()));
  }
}

std::string Checkpoint::serialized_tokenizer(const std::string& tokenizer) const {
  return open(tokenizer_file(manifest_, tokenizer)).read_all();
}

fs::path Checkpoint::tokenizer_path(const std::string& tokenizer) const {
  return folder_ / tokenizer_file(manifest_, tokenizer);
}

std::optional<TextSums> Checkpoint::text_sums() const {
  const fs::path file = folder_ / kTextSumsFile;
  std::error_code ignored;
  if (!manifest_.files.contains(kTextSumsFile) || !fs::exists(file, ignored)) {
    return std::nullopt;
  }
  try {
    return text_sums_from_json(open(kTextSumsFile).read_all(), file.string());
  } catch (const DataError& error) {
    throw CheckpointError(error.what());  // not the user's mistake: a program wrote the file
  }
}

std::shared_ptr<const SeenWords> Checkpoint::source_words() const {
  const auto file = folder_ / kSourceWordsFile;
  std::error_code ignored;
  if (!manifest_.files.contains(kSourceWordsFile) || !fs::exists(file, ignored)) {
    return nullptr;
  }
  try {
    return std::make_shared<const SeenWords>(SeenWords::from_serialized(open(kSourceWordsFile).read_all()));
  } catch (const DataError& error) {
    throw CheckpointError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

fs::path Checkpoint::run_folder() const {
  const auto checkpoints = normalized_path(fs::absolute(folder_)).parent_path();
  return checkpoints.filename() == kCheckpointsFolder ? checkpoints.parent_path() : fs::path();
}

bool Checkpoint::has_training_state() const { return manifest_.files.contains(kTrainingCountersFile); }

NamedArrays average_weights(std::span<const Checkpoint> checkpoints) {
  auto mean = checkpoints.front().weights();
  if (checkpoints.size() == 1) {
    return mean;
  }
  std::vector<std::map<std::string, StoredArray>> others;
  for (const auto& checkpoint : checkpoints.subspan(1)) {
    const auto weights = checkpoint.weights();
    others.emplace_back(weights.begin(), weights.end());
    if (others.back().size() != mean.size()) {
      throw CheckpointError(fmt::format("{} holds {} tensors and {} holds {}, so they cannot be averaged",
                                        checkpoint.folder().string(), others.back().size(),
                                        checkpoints.front().folder().string(), mean.size()));
    }
  }
  for (auto& [name, array] : mean) {
    auto sum = as_doubles(array, name);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto other = others[i].find(name);
      if (other == others[i].end() || other->second.shape != array.shape) {
        throw CheckpointError(fmt::format("{} has no {} of the shape in {}, so they cannot be averaged",
                                          checkpoints[i + 1].folder().string(), name,
                                          checkpoints.front().folder().string()));
      }
      std::ranges::transform(sum, as_doubles(other->second, name), sum.begin(), std::plus());
    }
    const auto count = static_cast<double>(checkpoints.size());
    std::vector<float> values(sum.size());
    std::ranges::transform(sum, values.begin(), [count](double each) { return static_cast<float>(each / count); });
    array = stored_floats(array.shape, std::move(values));
  }
  return mean;
}

}  // namespace translate

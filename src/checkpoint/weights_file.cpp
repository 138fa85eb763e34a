#include "translate/checkpoint/weights_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "translate/checkpoint/manifest.h"
#include "translate/checkpoint/pytorch_file.h"
#include "translate/core/error.h"
#include "translate/core/stable_file.h"

namespace translate {
namespace {

constexpr std::size_t kStartBytes = 16;
constexpr std::size_t kSafetensorsBrace = 8;  // the header's JSON follows eight bytes of its length
constexpr std::array<std::string_view, 2> kWrapperPrefixes = {"module.", "_orig_mod."};
constexpr std::string_view kOldCrossAttention = ".source_attention_block.";
constexpr std::string_view kCrossAttention = ".cross_attention_block.";

/// The first bytes of the file. Throws ConfigError where it is no file.
std::string read_start(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw ConfigError(
        fmt::format("{}: no such file (weights are a .safetensors or a PyTorch .pt file)", path.string()));
  }
  if (std::filesystem::is_directory(status)) {
    throw ConfigError(
        fmt::format("{}: is a folder; weights are a single .safetensors or PyTorch .pt file", path.string()));
  }
  std::ifstream stream(path, std::ios::binary);
  std::string start(kStartBytes, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (stream.bad() || !stream.is_open()) throw CheckpointError(fmt::format("{}: cannot be read", path.string()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start;
}

/// The bytes as text where they are, others as \xNN.
std::string printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= ' ' && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text;
}

/// Drops a prefix that all names have. Returns whether they did.
bool drop_prefix(NamedTensors& weights, std::string_view prefix) {
  const auto has_prefix = [&](const auto& item) { return item.first.starts_with(prefix); };
  if (weights.empty() || !std::ranges::all_of(weights, has_prefix)) return false;
  for (auto& [name, tensor] : weights) {
    name.erase(0, prefix.size());
  }
  return true;
}

void update_names(WeightsFile& file, const std::filesystem::path& path) {
  for (bool dropped = true; dropped;) {  // wrappers may be inside one another
    dropped = false;
    for (const std::string_view prefix : kWrapperPrefixes) {
      if (!drop_prefix(file.weights, prefix)) continue;
      file.notes.push_back(fmt::format("dropped \"{}\" at the start of every name", prefix));
      dropped = true;
    }
  }
  std::size_t renamed = 0;
  for (auto& [name, tensor] : file.weights) {
    const std::size_t place = name.find(kOldCrossAttention);
    if (place == std::string::npos) continue;
    name.replace(place, kOldCrossAttention.size(), kCrossAttention);
    ++renamed;
  }
  if (renamed > 0) {
    file.notes.push_back(fmt::format("renamed source_attention_block to cross_attention_block in {} names", renamed));
  }
  std::set<std::string> seen;
  for (const auto& [name, tensor] : file.weights) {
    if (!seen.insert(name).second) {
      throw CheckpointError(
          fmt::format("{}: \"{}\" occurs twice, under its newer and its older name", path.string(), name));
    }
  }
}

}  // namespace

WeightsFile read_weights_file(const std::filesystem::path& path) {
  const std::string start = read_start(path);
  const auto open = [&path] {
    StableFile opened(path);
    verify_lone_file(opened);
    return opened;
  };
  WeightsFile file;
  if (looks_like_pytorch(start)) {
    PytorchWeights contents = read_pytorch_file(open());
    file.weights = std::move(contents.weights);
    file.step = contents.step;
    if (!contents.key.empty()) {
      file.notes.push_back(fmt::format("took \"{}\" of a PyTorch checkpoint and ignored the rest", contents.key));
    }
  } else if (start.size() > kSafetensorsBrace && start[kSafetensorsBrace] == '{') {
    file.weights = tensors_of(SafetensorsFile(open()));
  } else {
    throw CheckpointError(fmt::format(
        "{}: neither a .safetensors file (eight bytes, then \"{{\") nor a PyTorch .pt file (begins with "
        "\"PK\"): {}",
        path.string(), start.empty() ? "it is empty" : fmt::format("it begins with \"{}\"", printable(start))));
  }
  update_names(file, path);
  return file;
}

}  // namespace translate

#include "interop/pytorch/pytorch_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/foreign_text.h"
#include "interop/archive/zip_archive.h"
#include "interop/pytorch/legacy_file.h"
#include "interop/pytorch/pickle_reader.h"
#include "interop/pytorch/pytorch_storages.h"
#include "interop/pytorch/pytorch_tensors.h"

namespace translate::tools {

namespace {

/// Returns the text as a Python string literal.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string pytorch_conversion(const std::filesystem::path& file, const PytorchConversion& conversion) {
  const std::filesystem::path converted = file.stem().string() + "-weights.pt";
  return fmt::format("  import torch; state = {}\n  torch.save({}, {})",
                     fmt::format(fmt::runtime(conversion.load), quoted(file.string())), conversion.weights,
                     quoted(converted.string()));
}

namespace {

constexpr std::string_view kZipStart = "PK\x03\x04";
constexpr std::string_view kEmptyZipStart = "PK\x05\x06";
constexpr std::array<const char*, 3> kWeightKeys = {"model_state_dict", "state_dict", "model"};
constexpr std::array<const char*, 2> kStepKeys = {"global_step", "step"};
constexpr std::size_t kKeysInMessage = 8;
constexpr const char* kExpected =
    "expected a state_dict (names with tensors), or a dict that holds one as model_state_dict, state_dict or model";

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what) {
  throw CheckpointError(fmt::format("{}: {}", file.string(), what));
}

[[noreturn]] void fail_with_conversion(const std::filesystem::path& file, std::string_view what,
                                       const PytorchConversion& conversion) {
  fail(file, fmt::format("{}; convert it, if you trust it:\n{}", what, pytorch_conversion(file, conversion)));
}

bool is_pickle(std::string_view start) {
  return start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

bool is_zip(std::string_view start) { return start.starts_with(kZipStart) || start.starts_with(kEmptyZipStart); }

void check_format(std::string_view bytes, const std::filesystem::path& file) {
  if (is_pickle(bytes)) {
    fail(file,
         "it is a bare pickle, not a file of torch.save; load it in Python and torch.save the model's state_dict");
  }
  if (!is_zip(bytes)) {
    fail(file, "it is not a file of torch.save: that is a zip archive, which begins with PK");
  }
}

/// Returns the folder of the archive, with its slash: the first-level folder with the only data.pkl.
std::string find_folder(const ZipArchive& archive, const std::filesystem::path& file) {
  constexpr std::string_view kPickle = "/data.pkl";
  std::vector<std::string> folders;
  for (const std::string& name : archive.names()) {
    if (name.ends_with(kPickle) && name.find('/') == name.size() - kPickle.size()) {
      folders.push_back(name.substr(0, name.size() - kPickle.size() + 1));
    }
  }
  if (folders.size() != 1) {
    fail(file, "it is a zip archive, but not one of torch.save: that has one data.pkl, in a folder");
  }
  const std::string& folder = folders.front();
  const auto in_code = [&](const std::string& name) { return name.starts_with(folder + "code/"); };
  if (archive.contains(folder + "constants.pkl") || std::ranges::any_of(archive.names(), in_code)) {
    fail_with_conversion(file, "it is a TorchScript archive (torch.jit.save), which holds a program",
                         {.load = "torch.jit.load({}, map_location=\"cpu\")", .weights = "state.state_dict()"});
  }
  const std::string order = folder + "byteorder";
  if (archive.contains(order) && archive.read(order) != "little") {
    fail_with_conversion(file, "it was written on a big-endian machine, which is not supported",
                         {.load = kTorchLoad, .weights = "state"});
  }
  return folder;
}

/// Returns the value of a key in a dict; the last one if it is given twice, as in Python.
const PickleValue* find(const PickleDict& dict, std::string_view key) {
  const PickleValue* found = nullptr;
  for (const auto& [item_key, value] : dict.items) {
    const auto* const name = item_key->as<std::string>();
    if (name != nullptr && *name == key) {
      found = value;
    }
  }
  return found;
}

/// Returns the first few keys of a dict, for messages.
std::string list_keys(const PickleDict& dict) {
  std::vector<std::string> names;
  for (const auto& [key, value] : dict.items) {
    const auto* const name = key->as<std::string>();
    if (names.size() == kKeysInMessage) {
      names.emplace_back("...");
      break;
    }
    names.push_back(name != nullptr ? shown(*name) : std::string(key->kind()));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

NamedArrays read_state_dict(const PickleDict& dict, PytorchTensors& tensors, const std::filesystem::path& file) {
  NamedArrays weights;
  std::set<std::string> seen;
  for (const auto& [key, value] : dict.items) {
    const auto* const name = key->as<std::string>();
    if (name == nullptr) {
      fail(file, fmt::format("{}; one of its keys is {}", kExpected, key->kind()));
    }
    const PickledTensor* const tensor = value->tensor();
    if (tensor == nullptr) {
      fail(file,
           fmt::format("{}; here \"{}\" is {}, beside {}", kExpected, shown(*name), value->kind(), list_keys(dict)));
    }
    if (!seen.insert(*name).second) {
      fail(file, fmt::format("damaged: it holds \"{}\" twice", shown(*name)));
    }
    weights.emplace_back(*name, tensors.tensor(*name, *tensor));
  }
  if (weights.empty()) {
    fail(file, fmt::format("{}; it holds no tensors", kExpected));
  }
  return weights;
}

std::optional<std::int64_t> read_step(const PickleDict& checkpoint) {
  for (const char* const key : kStepKeys) {
    const PickleValue* const value = find(checkpoint, key);
    const auto* const step = value == nullptr ? nullptr : value->as<std::int64_t>();
    if (step != nullptr && *step >= 0) {
      return *step;
    }
  }
  return std::nullopt;
}

/// The storages of a zip archive.
class ArchivedStorages final : public PytorchStorages {
 public:
  /// `archive` must outlive this object; its entries `<folder>data/<key>` are the storages.
  ArchivedStorages(const ZipArchive& archive, std::string folder) : archive_(archive), folder_(std::move(folder)) {}

  [[nodiscard]] std::uint64_t size(const std::string& key) const override { return archive_.size(entry(key)); }
  void read(const std::string& key, std::span<char> to) const override { archive_.read(entry(key), to); }

 private:
  [[nodiscard]] std::string entry(const std::string& key) const { return folder_ + "data/" + key; }

  const ZipArchive& archive_;
  std::string folder_;
};

/// Returns the weights of a state_dict, or of a checkpoint that holds one.
PytorchWeights read_weights(const PickleDocument& document, const PytorchStorages& storages,
                            const std::filesystem::path& path) {
  const auto* const root = document.root().as<PickleDict>();
  if (root == nullptr) {
    fail(path, fmt::format("{}; it holds {}", kExpected, document.root().kind()));
  }
  PytorchTensors tensors(storages, path);
  for (const char* const key : kWeightKeys) {
    const PickleValue* const value = find(*root, key);
    const auto* const state = value == nullptr ? nullptr : value->as<PickleDict>();
    if (state != nullptr) {
      return {.weights = read_state_dict(*state, tensors, path), .key = key, .step = read_step(*root)};
    }
  }
  return {.weights = read_state_dict(*root, tensors, path), .key = "", .step = std::nullopt};
}

}  // namespace

bool looks_like_pytorch(std::string_view start) { return is_zip(start) || is_pickle(start); }

PytorchWeights read_pytorch_file(StableFile given) {
  const auto file = std::make_shared<const StableFile>(std::move(given));
  const auto& path = file->path();
  std::string start(std::min<std::uint64_t>(file->size(), kLegacyStart.size()), '\0');
  file->read(0, start);
  if (start.starts_with(kLegacyStart)) {
    const LegacyFile legacy(file);
    return read_weights(legacy.document(), legacy, path);
  }
  check_format(start, path);
  const ZipArchive archive(file);
  const std::string folder = find_folder(archive, path);
  return read_weights(read_pickle(archive.read(folder + "data.pkl"), path), ArchivedStorages(archive, folder), path);
}

}  // namespace translate::tools

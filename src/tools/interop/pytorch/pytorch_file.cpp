#include "interop/pytorch/pytorch_file.h"

#include <ATen/ops/empty.h>
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

#include "checkpoint/zip_archive.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "interop/pytorch/legacy_file.h"
#include "interop/pytorch/pickle_reader.h"

namespace translate {

namespace {

/// Returns the text as a Python string literal.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
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

// An expanded tensor (stride 0) has more values than its storage; copying it must not fill the memory.
constexpr std::int64_t kMaxExpanded = 1 << 20;

/// Returns the number of values, or nothing if it is negative or does not fit.
std::optional<std::int64_t> count_values(const std::vector<std::int64_t>& sizes) {
  std::int64_t nonzero = 1;  // zeros are skipped: [0, huge, huge] would overflow when ATen computes its strides
  bool empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0 || (size > 0 && __builtin_mul_overflow(nonzero, size, &nonzero))) return std::nullopt;
    empty = empty || size == 0;
  }
  return empty ? 0 : nonzero;
}

/// Returns true if every value of a tensor of `values` values lies within its storage.
bool lies_within_storage(const PickledTensor& tensor, std::int64_t values) {
  const std::int64_t elements = tensor.storage.elements;
  if (tensor.sizes.size() != tensor.strides.size() || tensor.offset < 0 || tensor.offset > elements) return false;
  std::int64_t last = tensor.offset;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    std::int64_t distance = 0;
    if (tensor.strides[i] < 0 ||
        __builtin_mul_overflow(std::max<std::int64_t>(tensor.sizes[i] - 1, 0), tensor.strides[i], &distance) ||
        __builtin_add_overflow(last, distance, &last)) {
      return false;
    }
  }
  return values == 0 || (last < elements && values <= std::max(elements, kMaxExpanded));
}

}  // namespace

PytorchTensors::PytorchTensors(const PytorchStorages& storages, const std::filesystem::path& file)
    : in_file_(storages), file_(file) {}

void PytorchTensors::fail(const std::string& name, const std::string& what) const {
  throw CheckpointError(fmt::format("{}: tensor \"{}\": {}", file_.string(), shown(name), what));
}

at::Tensor PytorchTensors::tensor(const std::string& name, const PickledTensor& pickled) {
  const auto values = count_values(pickled.sizes);
  if (!values || !lies_within_storage(pickled, *values)) {
    fail(name, fmt::format("damaged: size [{}] with strides [{}] from {} on is not within its storage of {} elements",
                           fmt::join(pickled.sizes, ", "), fmt::join(pickled.strides, ", "), pickled.offset,
                           pickled.storage.elements));
  }
  const at::Tensor elements = storage(name, pickled.storage);
  if (*values == 0) return at::empty(pickled.sizes, elements.options());
  return elements.as_strided(pickled.sizes, pickled.strides, pickled.offset);
}

at::Tensor PytorchTensors::storage(const std::string& name, const PickledStorage& pickled) {
  const auto known = storages_.find(pickled.key);
  if (known != storages_.end()) {
    if (known->second.scalar_type() != scalar_type_of(pickled.dtype) || known->second.numel() != pickled.elements) {
      fail(name, fmt::format("damaged: its storage {} has two different descriptions", pickled.key));
    }
    return known->second;
  }
  const std::uint64_t bytes = in_file_.size(pickled.key);
  const std::size_t element = bytes_of(pickled.dtype);
  if (pickled.elements < 0 || bytes % element != 0 || bytes / element != static_cast<std::uint64_t>(pickled.elements)) {
    fail(name, fmt::format("damaged: its storage {} has {} bytes, not {} elements of {}", pickled.key, bytes,
                           pickled.elements, name_of(pickled.dtype)));
  }
  const at::Tensor elements = at::empty({pickled.elements}, at::TensorOptions().dtype(scalar_type_of(pickled.dtype)));
  const std::span<char> values(static_cast<char*>(elements.mutable_data_ptr()), bytes);
  in_file_.read(pickled.key, values);
  if (pickled.dtype == NumberType::kBool && std::ranges::any_of(values, [](char c) { return c != 0 && c != 1; })) {
    fail(name, fmt::format("damaged: its storage {} holds bytes that are not booleans", pickled.key));
  }
  return storages_.emplace(pickled.key, elements).first->second;
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
  if (!is_zip(bytes)) fail(file, "it is not a file of torch.save: that is a zip archive, which begins with PK");
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
    if (name != nullptr && *name == key) found = value;
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

NamedTensors read_state_dict(const PickleDict& dict, PytorchTensors& tensors, const std::filesystem::path& file) {
  NamedTensors weights;
  std::set<std::string> seen;
  for (const auto& [key, value] : dict.items) {
    const auto* const name = key->as<std::string>();
    if (name == nullptr) fail(file, fmt::format("{}; one of its keys is {}", kExpected, key->kind()));
    const PickledTensor* const tensor = value->tensor();
    if (tensor == nullptr) {
      fail(file,
           fmt::format("{}; here \"{}\" is {}, beside {}", kExpected, shown(*name), value->kind(), list_keys(dict)));
    }
    if (!seen.insert(*name).second) fail(file, fmt::format("damaged: it holds \"{}\" twice", shown(*name)));
    weights.emplace_back(*name, tensors.tensor(*name, *tensor));
  }
  if (weights.empty()) fail(file, fmt::format("{}; it holds no tensors", kExpected));
  return weights;
}

std::optional<std::int64_t> read_step(const PickleDict& checkpoint) {
  for (const char* const key : kStepKeys) {
    const PickleValue* const value = find(checkpoint, key);
    const auto* const step = value == nullptr ? nullptr : value->as<std::int64_t>();
    if (step != nullptr && *step >= 0) return *step;
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
  if (root == nullptr) fail(path, fmt::format("{}; it holds {}", kExpected, document.root().kind()));
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

}  // namespace translate

#include "checkpoints/weights_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "checkpoint/manifest.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/held_file.h"
#include "interop/pytorch/pytorch_file.h"
#include "model/parameters.h"
#include "modules/embeddings.h"

namespace translate {

namespace {

constexpr double kTableTolerance = 1e-4;
constexpr double kAngleRounding = 2.5e-7;  // relative error of an angle in float: at position p it adds p times as much

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw CheckpointError(fmt::format("{}: {}", origin, what));
}

auto find(NamedTensors& weights, const std::string& name) {
  return std::ranges::find(weights, name, [](const auto& item) -> const std::string& { return item.first; });
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const bool same_place = a.const_data_ptr() == b.const_data_ptr() && a.strides() == b.strides();
  const at::Tensor left = a.contiguous();
  const at::Tensor right = b.contiguous();
  return same_place || left.numel() == 0 ||
         std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

/// Returns the names of every parameter that has more than one, first names first.
std::vector<std::vector<std::string>> tied_names(const std::vector<Parameter>& table) {
  std::vector<std::vector<std::string>> groups;
  for (const auto& parameter : table) {
    if (!parameter.is_tied()) continue;
    auto group = std::ranges::find(groups, parameter.tied_to, [](const auto& names) { return names.front(); });
    if (group == groups.end()) group = groups.insert(groups.end(), {parameter.tied_to});
    group->push_back(parameter.name);
  }
  return groups;
}

void merge_tied(NamedTensors& weights, const std::vector<Parameter>& table, const std::string& origin,
                std::vector<std::string>& notes) {
  for (const auto& names : tied_names(table)) {
    std::string kept;  // the first of the names that the file has
    for (const std::string& name : names) {
      const auto found = find(weights, name);
      if (found == weights.end()) continue;
      if (kept.empty()) {
        kept = name;
        continue;
      }
      if (!same_bits(find(weights, kept)->second, found->second)) {
        fail(origin, fmt::format("{} and {} differ, but model.tie_embeddings makes them one weight: set it to the way "
                                 "the model was trained (\"none\", \"decoder\" or \"all\")",
                                 kept, name));
      }
      weights.erase(found);
      notes.push_back(fmt::format("{} is tied to {}: the same values, kept once", name, kept));
    }
    if (!kept.empty() && kept != names.front()) {
      find(weights, kept)->first = names.front();
      notes.push_back(fmt::format("{} is tied to {}, which was missing", names.front(), kept));
    }
  }
}

/// Returns the allowed difference of a correct table from ours, (length, 1), for the type that it is stored in.
at::Tensor table_tolerance(std::int64_t length, at::ScalarType dtype) {
  const double rounding = dtype == at::kHalf ? 1e-3 : dtype == at::kBFloat16 ? 8e-3 : 0.0;  // the last bit, near 1
  return (at::arange(length, at::kDouble) * kAngleRounding + (kTableTolerance + rounding)).unsqueeze(1);
}

/// Throws CheckpointError if `table` is not the sinusoidal one.
void check_table(const std::string& name, const at::Tensor& table, const Sinusoids& sinusoids,
                 const std::string& origin) {
  const auto d_model = sinusoids.width;
  const bool batched = table.dim() == 3 && table.size(0) == 1;
  if (!at::isFloatingType(table.scalar_type()) || (table.dim() != 2 && !batched) || table.size(-1) != d_model) {
    fail(origin, fmt::format("{} has shape [{}] of {}, expected a table of positions, [1, length, {}]", name,
                             fmt::join(table.sizes(), ", "), c10::toString(table.scalar_type()), d_model));
  }
  const at::Tensor found = (batched ? table[0] : table).to(at::kDouble);                          // (length, d_model)
  const at::Tensor expected = sinusoidal_positions(found.size(0), sinusoids)[0].to(at::kDouble);  // (length, d_model)
  // "not within" rather than "beyond": NaN is neither
  const at::Tensor wrong =
      ((found - expected).abs() <= table_tolerance(found.size(0), table.scalar_type())).logical_not();
  if (!wrong.any().item<bool>()) return;
  const auto first = wrong.flatten().to(at::kByte).argmax().item<std::int64_t>();
  const std::int64_t position = first / d_model;
  const std::int64_t column = first % d_model;
  const std::string module = name.substr(0, name.rfind('.'));
  fail(origin,
       fmt::format("{} is not the sinusoidal table of model.positions = \"sinusoidal\" (alternating sin and cos of "
                   "position * 10000^(-2i/d_model)): at position {}, column {} it has {:.6f}, expected {:.6f}. "
                   "The model was trained with other positions: set model.positions to \"learned\" and "
                   "model.max_positions to {}, and in Python store {}{} as {}.embedding.weight",
                   name, position, column, found[position][column].item<double>(),
                   expected[position][column].item<double>(), found.size(0), name, batched ? "[0]" : "", module));
}

void drop_position_tables(NamedTensors& weights, const Transformer& model, const std::string& origin,
                          std::vector<std::string>& notes) {
  if (model->options().positions != PositionKind::kSinusoidal) return;
  const auto table = describe_parameters(model->options(), model->sizes());
  for (const auto& module : {table.src_pos.module, table.tgt_pos.module}) {
    const auto name = module + ".pe";
    const auto found = find(weights, name);
    if (found == weights.end()) continue;
    check_table(name, found->second, Sinusoids(model->options()), origin);
    weights.erase(found);
    notes.push_back(fmt::format("{} is the sinusoidal table, which is computed here", name));
  }
}

}  // namespace

ModelOptions fit_options(ModelOptions options, const NamedTensors& weights, std::vector<std::string>& notes) {
  auto with_bias = options;
  with_bias.attention_bias = true;
  with_bias.encoder_layers = with_bias.decoder_layers = 1;  // all layers have the same names
  const auto table = describe_parameters(with_bias, /*sizes=*/{});
  const auto& query = table.encoder.layers.front().self_attention_block.w_q;
  const auto has = [&](const Parameter& parameter) {
    const auto ending = fmt::format(".{}.{}", query.module, parameter.own_name());
    return std::ranges::any_of(weights, [&](const auto& item) { return item.first.ends_with(ending); });
  };
  const bool attention_bias = has(query.bias.value());
  if (has(query.weight) && attention_bias != options.attention_bias) {
    options.attention_bias = attention_bias;
    notes.push_back(fmt::format("model.attention_bias is {}, as in the weights", attention_bias));
  }
  return options;
}

NamedTensors fit_weights(NamedTensors weights, const Transformer& model, const std::string& origin,
                         std::vector<std::string>& notes) {
  const auto table = list_parameters(describe_parameters(model->options(), model->sizes()));
  merge_tied(weights, table, origin, notes);
  drop_position_tables(weights, model, origin, notes);
  std::map<std::string, Parameter> wanted;
  for (const auto& parameter : table) {
    if (!parameter.is_tied()) wanted.emplace(parameter.name, parameter);
  }
  std::size_t widened = 0;
  std::map<std::string, std::size_t> converted;  // by type
  for (auto& [name, tensor] : weights) {
    const auto found = wanted.find(name);
    if (found == wanted.end()) continue;
    const at::IntArrayRef shape = found->second.shape;
    if (!at::isFloatingType(tensor.scalar_type())) {
      fail(origin,
           fmt::format("{} is of type {}, expected floating-point numbers", name, c10::toString(tensor.scalar_type())));
    }
    if (found->second.group == OptimizerGroup::kNorm && tensor.numel() == 1 && tensor.sizes() != shape) {
      tensor = tensor.reshape({1}).expand(shape).contiguous();
      ++widened;
    }
    if (tensor.scalar_type() != at::kFloat && tensor.sizes() == shape) {
      ++converted[c10::toString(tensor.scalar_type())];
      tensor = tensor.to(at::kFloat);
    }
  }
  if (widened > 0) notes.push_back(fmt::format("widened {} one-element alpha and bias to d_model", widened));
  for (const auto& [type, count] : converted) {
    notes.push_back(fmt::format("converted {} tensors of {} to Float", count, type));
  }
  return weights;
}

namespace {

constexpr std::size_t kStartBytes = 16;
constexpr std::size_t kSafetensorsBrace = 8;  // the header's JSON follows the eight bytes of its length
constexpr std::array<std::string_view, 2> kWrapperPrefixes = {"module.", "_orig_mod."};
constexpr std::string_view kOldCrossAttention = ".source_attention_block.";
constexpr std::string_view kCrossAttention = ".cross_attention_block.";

/// Returns the first bytes of the file. Throws ConfigError if it is not a file.
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

/// Drops a prefix that all names have. Returns whether they had it.
bool drop_prefix(NamedTensors& weights, std::string_view prefix) {
  const auto has_prefix = [&](const auto& item) { return item.first.starts_with(prefix); };
  if (weights.empty() || !std::ranges::all_of(weights, has_prefix)) return false;
  for (auto& [name, tensor] : weights) {
    name.erase(0, prefix.size());
  }
  return true;
}

void update_names(WeightsFile& file, const std::filesystem::path& path) {
  for (bool dropped = true; dropped;) {  // wrappers may be nested
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
          fmt::format("{}: \"{}\" occurs twice, under its newer and its older name", path.string(), shown(name)));
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

#include "checkpoint/weights_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "checkpoint/foreign_formats.h"
#include "checkpoint/manifest.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/stable_file.h"
#include "model/position_table.h"

namespace translate {

namespace {

constexpr double kTableTolerance = 1e-4;
constexpr double kAngleRounding = 2.5e-7;  // relative error of an angle in float: at position p it adds p times as much

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw CheckpointError(fmt::format("{}: {}", origin, what));
}

auto find(NamedArrays& weights, const std::string& name) {
  return std::ranges::find(weights, name, [](const auto& item) -> const std::string& { return item.first; });
}

bool same_bits(const StoredArray& a, const StoredArray& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) {
    return false;
  }
  const auto left = a.numbers();
  const auto right = b.numbers();
  return left == right || a.bytes() == 0 || std::memcmp(left.get(), right.get(), a.bytes()) == 0;
}

/// Returns the names of every parameter that has more than one, first names first.
std::vector<std::vector<std::string>> tied_names(const std::vector<Parameter>& table) {
  std::vector<std::vector<std::string>> groups;
  for (const auto& parameter : table) {
    if (!parameter.is_tied()) {
      continue;
    }
    auto group = std::ranges::find(groups, parameter.tied_to, [](const auto& names) { return names.front(); });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {parameter.tied_to});
    }
    group->push_back(parameter.name);
  }
  return groups;
}

void merge_tied(NamedArrays& weights, const std::vector<Parameter>& table, const std::string& origin,
                std::vector<std::string>& notes) {
  for (const auto& names : tied_names(table)) {
    std::string kept;  // the first of the names that the file has
    for (const std::string& name : names) {
      const auto found = find(weights, name);
      if (found == weights.end()) {
        continue;
      }
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

/// Returns the allowed difference of a correct table from ours at a position, for the type that it is stored in.
double table_tolerance(std::int64_t position, NumberType type) {
  // the last bit of a number near 1
  const double rounding = type == NumberType::kFloat16 ? 1e-3 : type == NumberType::kBfloat16 ? 8e-3 : 0.0;
  return static_cast<double>(position) * kAngleRounding + (kTableTolerance + rounding);
}

/// Throws CheckpointError if `table` is not the sinusoidal one.
void check_table(const std::string& name, const StoredArray& table, const Sinusoids& sinusoids,
                 const std::string& origin) {
  const auto& shape = table.shape;
  const bool batched = shape.size() == 3 && shape.front() == 1;
  if (!is_floating(table.dtype) || (shape.size() != 2 && !batched) || shape.back() != sinusoids.width) {
    fail(origin, fmt::format("{} has shape [{}] of {}, expected a table of positions, [1, length, {}]", name,
                             fmt::join(shape, ", "), name_of(table.dtype), sinusoids.width));
  }
  const auto length = shape[shape.size() - 2];
  const auto width = static_cast<std::size_t>(sinusoids.width);
  const auto found = as_doubles(table, name);                 // (length, d_model)
  const auto expected = sinusoidal_table(length, sinusoids);  // (length, d_model)
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i / width);
    // "within" rather than "not beyond": NaN is neither
    if (std::abs(found[i] - static_cast<double>(expected[i])) <= table_tolerance(position, table.dtype)) {
      continue;
    }
    const std::string module = name.substr(0, name.rfind('.'));
    fail(origin,
         fmt::format("{} is not the sinusoidal table of model.positions = \"sinusoidal\" (alternating sin and cos of "
                     "position * 10000^(-2i/d_model)): at position {}, column {} it has {:.6f}, expected {:.6f}. "
                     "The model was trained with other positions: set model.positions to \"learned\" and "
                     "model.max_positions to {}, and in Python store {}{} as {}.embedding.weight",
                     name, position, i % width, found[i], expected[i], length, name, batched ? "[0]" : "", module));
  }
}

void drop_position_tables(NamedArrays& weights, const ModelOptions& options, const ModelParameters& parameters,
                          const std::string& origin, std::vector<std::string>& notes) {
  if (options.positions != PositionKind::kSinusoidal) {
    return;
  }
  for (const auto& module : {parameters.src_pos.module, parameters.tgt_pos.module}) {
    const auto name = module + ".pe";
    const auto found = find(weights, name);
    if (found == weights.end()) {
      continue;
    }
    check_table(name, found->second, Sinusoids(options), origin);
    weights.erase(found);
    notes.push_back(fmt::format("{} is the sinusoidal table, which is computed here", name));
  }
}

/// Returns an array of single precision, all of whose numbers are the one of `array`.
StoredArray widened(const StoredArray& array, const std::vector<std::int64_t>& shape, const std::string& name) {
  StoredArray wide{.dtype = NumberType::kFloat32, .shape = shape, .data = {}, .file = {}};
  return stored_floats(shape, std::vector<float>(static_cast<std::size_t>(wide.count()), *as_floats(array, name)));
}

}  // namespace

ModelOptions fit_options(ModelOptions options, const NamedArrays& weights, std::vector<std::string>& notes) {
  auto with_bias = options;
  with_bias.attention_bias = true;
  with_bias.encoder_layers = with_bias.decoder_layers = 1;  // all layers have the same names
  const auto table = describe_parameters(with_bias, /*sizes=*/{});
  const auto& query = table.encoder.layers.front().self_attention_block.value().w_q;
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

NamedArrays fit_weights(NamedArrays weights, const ModelOptions& options, const VocabularySizes& sizes,
                        const std::string& origin, std::vector<std::string>& notes) {
  const auto parameters = describe_parameters(options, sizes);
  const auto table = list_parameters(parameters);
  merge_tied(weights, table, origin, notes);
  drop_position_tables(weights, options, parameters, origin, notes);
  std::map<std::string, Parameter> wanted;
  for (const auto& parameter : table) {
    if (!parameter.is_tied()) {
      wanted.emplace(parameter.name, parameter);
    }
  }
  std::size_t widened_norms = 0;
  std::map<std::string_view, std::size_t> converted;  // by type
  for (auto& [name, array] : weights) {
    const auto found = wanted.find(name);
    if (found == wanted.end()) {
      continue;
    }
    const auto& shape = found->second.shape;
    const auto type = array.dtype;
    if (!is_floating(type)) {
      fail(origin, fmt::format("{} is of type {}, expected floating-point numbers", name, name_of(type)));
    }
    if (found->second.group == OptimizerGroup::kNorm && array.count() == 1 && array.shape != shape) {
      array = widened(array, shape, name);
      ++widened_norms;
    }
    if (type != NumberType::kFloat32 && array.shape == shape) {
      ++converted[name_of(type)];
      array = {.dtype = NumberType::kFloat32, .shape = shape, .data = as_floats(array, name), .file = {}};
    }
  }
  if (widened_norms > 0) {
    notes.push_back(fmt::format("widened {} one-element alpha and bias to d_model", widened_norms));
  }
  for (const auto& [type, count] : converted) {
    notes.push_back(fmt::format("converted {} tensors of {} to {}", count, type, name_of(NumberType::kFloat32)));
  }
  return weights;
}

namespace {

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
  std::string start(kFormatStart, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (stream.bad() || !stream.is_open()) {
    throw CheckpointError(fmt::format("{}: cannot be read", path.string()));
  }
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start;
}

/// Drops a prefix that all names have. Returns whether they had it.
bool drop_prefix(NamedArrays& weights, std::string_view prefix) {
  const auto has_prefix = [&](const auto& item) { return item.first.starts_with(prefix); };
  if (weights.empty() || !std::ranges::all_of(weights, has_prefix)) {
    return false;
  }
  for (auto& [name, array] : weights) {
    name.erase(0, prefix.size());
  }
  return true;
}

void update_names(WeightsFile& file, const std::filesystem::path& path) {
  for (bool dropped = true; dropped;) {  // wrappers may be nested
    dropped = false;
    for (const std::string_view prefix : kWrapperPrefixes) {
      if (!drop_prefix(file.weights, prefix)) {
        continue;
      }
      file.notes.push_back(fmt::format("dropped \"{}\" at the start of every name", prefix));
      dropped = true;
    }
  }
  std::size_t renamed = 0;
  for (auto& [name, array] : file.weights) {
    const std::size_t place = name.find(kOldCrossAttention);
    if (place == std::string::npos) {
      continue;
    }
    name.replace(place, kOldCrossAttention.size(), kCrossAttention);
    ++renamed;
  }
  if (renamed > 0) {
    file.notes.push_back(fmt::format("renamed source_attention_block to cross_attention_block in {} names", renamed));
  }
  std::set<std::string> seen;
  for (const auto& [name, array] : file.weights) {
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
  const auto& formats = linked_formats().weights;
  const auto format = std::ranges::find_if(formats, [&](const WeightsFormat& one) { return one.matches(start); });
  WeightsFile file;
  if (format != formats.end()) {
    file = format->read(open());
  } else if (start.size() > kSafetensorsBrace && start[kSafetensorsBrace] == '{') {
    file.weights = SafetensorsFile(open()).arrays();
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

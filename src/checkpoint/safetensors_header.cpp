#include "translate/checkpoint/safetensors_header.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "translate/checkpoint/json_fields.h"
#include "translate/core/error.h"

namespace translate {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kMetadataKey = "__metadata__";

constexpr std::array<std::pair<std::string_view, c10::ScalarType>, 8> kDtypes = {{
    {"F64", c10::ScalarType::Double},
    {"F32", c10::ScalarType::Float},
    {"F16", c10::ScalarType::Half},
    {"BF16", c10::ScalarType::BFloat16},
    {"I64", c10::ScalarType::Long},
    {"I32", c10::ScalarType::Int},
    {"U8", c10::ScalarType::Byte},
    {"BOOL", c10::ScalarType::Bool},
}};

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view tensor, std::string_view what) {
  throw CheckpointError(fmt::format("{}: tensor \"{}\": {}", file.string(), tensor, what));
}

/// Bytes of a tensor, or nothing where they (or its strides) do not fit a signed 64-bit number.
std::optional<std::uint64_t> byte_count(const TensorEntry& entry) {
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(entry.dtype));
  for (const std::int64_t size : entry.shape) {
    // Zeros are left out here: a shape of [0, huge, huge] would overflow when ATen works out its strides.
    if (size > 0 && __builtin_mul_overflow(bytes, size, &bytes)) {
      return std::nullopt;
    }
  }
  return std::ranges::count(entry.shape, 0) > 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

std::int64_t read_whole_number(const Json& json, const std::filesystem::path& file, const std::string& name,
                               std::string_view what) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
    fail(file, name, fmt::format("expected whole numbers in its {}, found {}", what, json.dump()));
  }
  return json.get<std::int64_t>();
}

TensorEntry read_entry(const std::string& name, const Json& json, const std::filesystem::path& file) {
  JsonFields fields(json, file, name + ".");
  TensorEntry entry;
  entry.name = name;
  const std::string dtype = fields.text("dtype");
  const auto known = std::ranges::find(kDtypes, dtype, [](const auto& pair) { return pair.first; });
  if (known == kDtypes.end()) {
    fail(file, name, fmt::format("data type {} is not supported (F64 F32 F16 BF16 I64 I32 U8 BOOL are)", dtype));
  }
  entry.dtype = known->second;
  const Json& shape = fields.value("shape");
  const Json& offsets = fields.value("data_offsets");
  fields.finish();
  if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2) {
    fail(file, name, "damaged: expected lists for its shape and its two data offsets");
  }
  for (const Json& size : shape) {
    entry.shape.push_back(read_whole_number(size, file, name, "shape"));
  }
  entry.begin = static_cast<std::uint64_t>(read_whole_number(offsets[0], file, name, "data offsets"));
  entry.end = static_cast<std::uint64_t>(read_whole_number(offsets[1], file, name, "data offsets"));
  return entry;
}

void check_range(const TensorEntry& entry, std::uint64_t data_bytes, const std::filesystem::path& file) {
  const auto bytes = byte_count(entry);
  if (!bytes) {
    fail(file, entry.name, fmt::format("damaged: shape [{}] is too large", fmt::join(entry.shape, ", ")));
  }
  if (entry.begin > entry.end || entry.end > data_bytes) {
    fail(file, entry.name,
         fmt::format("its bytes {} to {} are outside the {} bytes of data: truncated or damaged", entry.begin,
                     entry.end, data_bytes));
  }
  if (entry.end - entry.begin != *bytes) {
    fail(file, entry.name,
         fmt::format("damaged: shape [{}] of {} takes {} bytes, the header gives it {}", fmt::join(entry.shape, ", "),
                     c10::toString(entry.dtype), *bytes, entry.end - entry.begin));
  }
}

/// The byte ranges in the order of the file must follow one another from 0 to the end.
void check_coverage(const std::vector<TensorEntry>& tensors, std::uint64_t data_bytes,
                    const std::filesystem::path& file) {
  std::vector<const TensorEntry*> by_place;
  for (const TensorEntry& entry : tensors) {
    by_place.push_back(&entry);
  }
  std::ranges::sort(by_place, {}, [](const TensorEntry* entry) { return std::pair(entry->begin, entry->end); });
  std::uint64_t covered = 0;
  for (const TensorEntry* entry : by_place) {
    if (entry->begin < covered) {
      fail(file, entry->name,
           fmt::format("damaged: its bytes from {} overlap another tensor's, which end at {}", entry->begin, covered));
    }
    if (entry->begin > covered) {
      fail(file, entry->name,
           fmt::format("damaged: the {} bytes before it belong to no tensor", entry->begin - covered));
    }
    covered = entry->end;
  }
  if (covered != data_bytes) {
    throw CheckpointError(
        fmt::format("{}: damaged: the last {} bytes belong to no tensor", file.string(), data_bytes - covered));
  }
}

std::map<std::string, std::string> read_metadata(const Json& json, const std::filesystem::path& file) {
  JsonFields fields(json, file, std::string(kMetadataKey) + ".");
  std::map<std::string, std::string> metadata;
  for (const auto& item : json.items()) {
    metadata[item.key()] = fields.text(item.key());
  }
  return metadata;
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::filesystem::path& file) {
  const Json root = parse_json_object(json, file);
  SafetensorsHeader header;
  for (const auto& item : root.items()) {
    if (item.key() == kMetadataKey) {
      header.metadata = read_metadata(item.value(), file);
      continue;
    }
    header.tensors.push_back(read_entry(item.key(), item.value(), file));
    check_range(header.tensors.back(), data_bytes, file);
  }
  check_coverage(header.tensors, data_bytes, file);
  return header;
}

std::string format_safetensors_header(const SafetensorsHeader& header, const std::filesystem::path& file) {
  Json root = Json::object();
  if (!header.metadata.empty()) {
    root[kMetadataKey] = header.metadata;
  }
  std::set<std::string> names = {kMetadataKey};
  for (const TensorEntry& entry : header.tensors) {
    const auto known = std::ranges::find(kDtypes, entry.dtype, [](const auto& pair) { return pair.second; });
    if (known == kDtypes.end()) {
      fail(file, entry.name, fmt::format("data type {} cannot be stored", c10::toString(entry.dtype)));
    }
    if (!names.insert(entry.name).second) {
      fail(file, entry.name, "this name is reserved or given twice");
    }
    root[entry.name] = {{"dtype", known->first}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text = json_to_text(root, file);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxSafetensorsHeader) {
    throw CheckpointError(fmt::format("{}: a header of {} bytes is more than the format allows ({})", file.string(),
                                      text.size(), kMaxSafetensorsHeader));
  }
  return text;
}

}  // namespace translate

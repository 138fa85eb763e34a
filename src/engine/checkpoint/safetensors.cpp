#include "checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checkpoint/manifest.h"
#include "config/json.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/pages.h"
#include "core/system/system_calls.h"
#include "core/threads.h"

namespace translate {

namespace {

/// Calls take(pointer) with a pointer of the numbers' type.
template <class Take>
void visit_numbers(const StoredArray& array, const std::string& name, const Take& take) {
  const auto owner = array.numbers();
  const void* data = owner.get();
  switch (array.dtype) {
    case NumberType::kFloat32:
      return take(static_cast<const float*>(data));
    case NumberType::kFloat64:
      return take(static_cast<const double*>(data));
    case NumberType::kFloat16:
      return take(static_cast<const Float16*>(data));
    case NumberType::kBfloat16:
      return take(static_cast<const Bfloat16*>(data));
    default:
      throw CheckpointError(
          fmt::format("{} is of type {}, expected floating-point numbers", name, name_of(array.dtype)));
  }
}

template <class To>
std::vector<To> converted(const StoredArray& array, const std::string& name) {
  std::vector<To> values(static_cast<std::size_t>(array.count()));
  visit_numbers(array, name, [&](const auto* numbers) {
    std::transform(numbers, numbers + array.count(), values.begin(),
                   [](auto number) { return static_cast<To>(number); });
  });
  return values;
}

/// Large arrays are read by all threads: on one thread, the system copies and allocates pages far below the memory's
/// bandwidth. A multiple of the page size.
constexpr std::int64_t kBytesAtATime = std::int64_t{1} << 21U;

std::span<char> range(std::span<char> bytes, std::int64_t begin, std::int64_t end) {
  return bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// Moves `values` into shared ownership and returns a pointer to them.
std::shared_ptr<const float> shared(std::vector<float> values) {
  const auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  return {owner, owner->data()};
}

}  // namespace

std::int64_t StoredArray::count() const {
  std::int64_t product = 1;
  for (const auto size : shape) {
    product *= size;
  }
  return product;
}

void StoredArray::read(std::span<char> to) const {
  const auto whole = to.first(bytes());
  parallel_ranges(std::ssize(whole), kBytesAtATime, [&](std::int64_t begin, std::int64_t end) {
    file->read_unchecked(offset + static_cast<std::uint64_t>(begin), range(whole, begin, end));
  });
  file->check_unchanged();
}

std::shared_ptr<const void> StoredArray::numbers() const {
  if (data || !file) {
    return data;
  }
  if (std::cmp_less(bytes(), kBytesAtATime)) {
    const std::shared_ptr<char[]> block(new char[bytes()]);  // aligned for any type
    read({block.get(), bytes()});
    return {block, block.get()};
  }
  // These pages are returned to the system as soon as the numbers are no longer used.
  const auto pages = std::make_shared<PageBlock<char>>(bytes());
  parallel_ranges(std::ssize(pages->span()), kBytesAtATime, [&](std::int64_t begin, std::int64_t end) {
    const auto part = range(pages->span(), begin, end);
    populate_pages(part.data(), part.size());
    file->read_unchecked(offset + static_cast<std::uint64_t>(begin), part);
  });
  file->check_unchanged();
  return {pages, pages->span().data()};
}

std::size_t StoredArray::bytes() const { return static_cast<std::size_t>(count()) * bytes_of(dtype); }

std::shared_ptr<const float> as_floats(const StoredArray& array, const std::string& name) {
  if (array.dtype == NumberType::kFloat32) {
    const auto numbers = array.numbers();
    return {numbers, static_cast<const float*>(numbers.get())};
  }
  return shared(converted<float>(array, name));
}

std::vector<double> as_doubles(const StoredArray& array, const std::string& name) {
  return converted<double>(array, name);
}

StoredArray stored_floats(std::vector<std::int64_t> shape, std::vector<float> values) {
  return {.dtype = NumberType::kFloat32, .shape = std::move(shape), .data = shared(std::move(values)), .file = {}};
}

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kMetadataKey = "__metadata__";

constexpr std::array<std::pair<std::string_view, NumberType>, 8> kDtypes = {{
    {"F64", NumberType::kFloat64},
    {"F32", NumberType::kFloat32},
    {"F16", NumberType::kFloat16},
    {"BF16", NumberType::kBfloat16},
    {"I64", NumberType::kInt64},
    {"I32", NumberType::kInt32},
    {"U8", NumberType::kUint8},
    {"BOOL", NumberType::kBool},
}};

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view tensor, std::string_view what) {
  throw CheckpointError(fmt::format("{}: tensor \"{}\": {}", file.string(), shown(tensor), what));
}

/// Returns the bytes of a tensor, or nothing if they (or its strides) do not fit a signed 64-bit number.
std::optional<std::uint64_t> checked_byte_count(const TensorEntry& entry) {
  std::int64_t bytes = static_cast<std::int64_t>(bytes_of(entry.dtype));
  for (const std::int64_t size : entry.shape) {
    // Zeros are skipped: a shape of [0, huge, huge] would overflow when ATen computes its strides.
    if (size > 0 && __builtin_mul_overflow(bytes, size, &bytes)) {
      return std::nullopt;
    }
  }
  return std::ranges::count(entry.shape, 0) > 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

TensorEntry read_entry(const std::string& name, const JsonValue& fields, const std::filesystem::path& file) {
  fields.allow_keys({"dtype", "shape", "data_offsets"}, kUnknownField);
  TensorEntry entry;
  entry.name = name;
  const std::string dtype = fields.member("dtype").text();
  const auto known = std::ranges::find(kDtypes, dtype, [](const auto& pair) { return pair.first; });
  if (known == kDtypes.end()) {
    fail(file, name, fmt::format("data type {} is not supported (F64 F32 F16 BF16 I64 I32 U8 BOOL are)", shown(dtype)));
  }
  entry.dtype = known->second;
  for (const auto& size : fields.member("shape").elements()) {
    entry.shape.push_back(size.integer(at_least(0)));
  }
  const auto offsets = fields.member("data_offsets").elements(2);
  entry.begin = static_cast<std::uint64_t>(offsets[0].integer(at_least(0)));
  entry.end = static_cast<std::uint64_t>(offsets[1].integer(at_least(0)));
  return entry;
}

void check_range(const TensorEntry& entry, std::uint64_t data_bytes, const std::filesystem::path& file) {
  const auto bytes = checked_byte_count(entry);
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
                     name_of(entry.dtype), *bytes, entry.end - entry.begin));
  }
}

/// Checks that the byte ranges in the order of the file follow one another from 0 to the end.
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

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::filesystem::path& file) {
  SafetensorsHeader header;
  for (const auto& [name, fields] : parse_json_object(json, file).members()) {
    if (name == kMetadataKey) {
      for (const auto& [key, value] : fields.members()) {
        header.metadata[key] = value.text();
      }
    } else {
      header.tensors.push_back(read_entry(name, fields, file));
      check_range(header.tensors.back(), data_bytes, file);
    }
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
      fail(file, entry.name, fmt::format("data type {} cannot be stored", name_of(entry.dtype)));
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

static_assert(std::endian::native == std::endian::little, "safetensors files are little endian");

namespace {

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

}  // namespace

SafetensorsFile::SafetensorsFile(StableFile file) : file_(std::make_shared<const StableFile>(std::move(file))) {
  const std::uint64_t size = file_->size();
  std::uint64_t header_bytes = 0;
  if (size < kLengthBytes) {
    throw CheckpointError(
        fmt::format("{}: truncated: {} bytes, too short for a safetensors file", path().string(), size));
  }
  file_->read(0, {reinterpret_cast<char*>(&header_bytes), kLengthBytes});
  if (header_bytes > kMaxSafetensorsHeader || header_bytes > size - kLengthBytes) {
    throw CheckpointError(
        fmt::format("{}: truncated, damaged or not a safetensors file: a header of {} bytes in a file of {} bytes",
                    path().string(), header_bytes, size));
  }
  data_offset_ = kLengthBytes + header_bytes;
  std::string json(header_bytes, '\0');
  file_->read(kLengthBytes, json);
  header_ = std::make_shared<const SafetensorsHeader>(parse_safetensors_header(json, size - data_offset_, path()));
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const TensorEntry& entry : header_->tensors) {
    names.push_back(entry.name);
  }
  return names;
}

bool SafetensorsFile::contains(const std::string& name) const {
  return std::ranges::find(header_->tensors, name, &TensorEntry::name) != header_->tensors.end();
}

StoredArray SafetensorsFile::array(const std::string& name) const {
  const auto entry = std::ranges::find(header_->tensors, name, &TensorEntry::name);
  if (entry == header_->tensors.end()) {
    throw CheckpointError(fmt::format("{}: has no tensor \"{}\"", path().string(), name));
  }
  return stored(*entry);
}

NamedArrays SafetensorsFile::arrays() const {
  NamedArrays arrays;
  for (const TensorEntry& entry : header_->tensors) {
    arrays.emplace_back(entry.name, stored(entry));
  }
  return arrays;
}

StoredArray SafetensorsFile::stored(const TensorEntry& entry) const {
  return {.dtype = entry.dtype, .shape = entry.shape, .data = {}, .file = file_, .offset = data_offset_ + entry.begin};
}

}  // namespace translate

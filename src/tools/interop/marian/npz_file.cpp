#include "interop/marian/npz_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/error.h"
#include "core/foreign_text.h"

namespace translate::tools {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kEnding = ".npy";

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw CheckpointError(fmt::format("{}: {}", name, problem));
}

/// The text of a value in the header, a Python dict: the part after its key up to one of `ends`.
std::string_view value_of(std::string_view header, std::string_view key, std::string_view ends,
                          const std::string& name) {
  const auto place = header.find(fmt::format("'{}':", key));
  if (place == std::string_view::npos) {
    fail(name, fmt::format("damaged: its header lacks '{}'", key));
  }
  auto value = header.substr(place + key.size() + 3);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value.substr(0, value.find_first_of(ends));
}

std::vector<std::int64_t> read_shape(std::string_view text, const std::string& name) {
  std::vector<std::int64_t> shape;
  text.remove_prefix(text.empty() ? 0 : 1);  // the parenthesis
  while (!text.empty()) {
    const auto begin = std::min(text.find_first_not_of(", "), text.size());
    text.remove_prefix(begin);
    if (text.empty()) {
      break;
    }
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0) {
      fail(name, fmt::format("damaged: \"{}\" in its shape", shown(text)));
    }
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return shape;
}

/// Returns the size of an element of a type such as "<f4".
std::uint64_t element_size(const std::string& type, const std::string& name) {
  const bool is_plain = type.size() == 3 && (type[0] == '<' || type[0] == '|') &&
                        std::string_view("fiub").find(type[1]) != std::string_view::npos && type[2] >= '1' &&
                        type[2] <= '8';
  if (!is_plain) {
    fail(name, fmt::format("its type {} is not supported: expected little-endian numbers", shown(type)));
  }
  return static_cast<std::uint64_t>(type[2] - '0');
}

}  // namespace

std::int64_t NpyArray::count() const {
  std::int64_t count = 1;
  for (const auto size : shape) {
    count *= size;
  }
  return count;
}

std::vector<float> NpyArray::floats(const std::string& name) const {
  if (type != "<f4") {
    fail(name, fmt::format("its type is {}, expected floats (<f4)", shown(type)));
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  std::ranges::copy(bytes, reinterpret_cast<char*>(values.data()));
  return values;
}

NpyArray parse_npy(std::string_view content, const std::string& name) {
  constexpr std::size_t kVersion = 6;  // the offsets in the file
  constexpr std::size_t kLength = 8;
  if (!content.starts_with(kMagic) || content.size() < kLength + 4) {
    fail(name, "damaged: not a NumPy array");
  }
  const bool is_first = content[kVersion] == 1;
  std::uint32_t length = 0;
  std::memcpy(&length, content.data() + kLength, is_first ? 2 : 4);
  const auto begin = kLength + (is_first ? 2U : 4U);
  if (length > content.size() - begin) {
    fail(name, "damaged: its header is cut");
  }
  const auto header = content.substr(begin, length);
  NpyArray array;
  auto type = value_of(header, "descr", ",}", name);
  if (type.size() > 2) {
    type = type.substr(1, type.size() - 2);  // the quotes
  }
  array.type = std::string(type);
  if (!value_of(header, "fortran_order", ",}", name).starts_with("False")) {
    fail(name, "its numbers are in Fortran's order, which is not supported");
  }
  array.shape = read_shape(value_of(header, "shape", ")", name), name);
  array.bytes = std::string(content.substr(begin + length));
  std::uint64_t expected = element_size(array.type, name);
  for (const auto size : array.shape) {
    if (__builtin_mul_overflow(expected, static_cast<std::uint64_t>(size), &expected)) {
      fail(name, "damaged: its shape is too large");
    }
  }
  if (array.bytes.size() != expected) {
    fail(name, fmt::format("damaged: {} bytes of numbers, its header says {}", array.bytes.size(), expected));
  }
  return array;
}

std::map<std::string, NpyArray> read_npz(const ZipArchive& archive) {
  std::map<std::string, NpyArray> arrays;
  for (const auto& entry : archive.names()) {
    const auto name = entry.ends_with(kEnding) ? entry.substr(0, entry.size() - kEnding.size()) : entry;
    arrays.emplace(name, parse_npy(archive.read(entry), fmt::format("{}: {}", archive.file().string(), shown(name))));
  }
  return arrays;
}

}  // namespace translate::tools

#include "interop/marian/bin_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/foreign_text.h"
#include "interop/marian/quantized_matrix.h"

namespace translate::tools {

namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kEncryptedVersion = 2;
constexpr std::uint64_t kHeaderBytes = 32;  // of an item: four numbers of 64 bits
constexpr std::uint64_t kAlignment = 256;   // the data of an item may be padded to a multiple of this

/// A type of numbers that is read. `trailing`: the bytes of its factor behind the numbers.
struct ReadableType {
  std::uint64_t code;
  const char* name;
  std::uint64_t size;
  std::uint64_t trailing = 0;
};

constexpr std::array<ReadableType, 13> kReadableTypes = {{{0x101, "|i1", 1},
                                                          {0x102, "<i2", 2},
                                                          {0x104, "<i4", 4},
                                                          {0x108, "<i8", 8},
                                                          {0x201, "|u1", 1},
                                                          {0x202, "<u2", 2},
                                                          {0x204, "<u4", 4},
                                                          {0x208, "<u8", 8},
                                                          {0x402, "<f2", 2},
                                                          {0x404, "<f4", 4},
                                                          {0x408, "<f8", 8},
                                                          {0x4101, kIntgemm8, 1, sizeof(float)},
                                                          {0x4102, kIntgemm16, 2, sizeof(float)}}};

/// Types that are known and not read.
constexpr std::array<std::pair<std::uint64_t, const char*>, 12> kRefusedTypes = {{{0x802, "packed16 of fbgemm"},
                                                                                  {0x1801, "packed8avx2 of fbgemm"},
                                                                                  {0x2801, "packed8avx512 of fbgemm"},
                                                                                  {0x10001, "intgemm8 of Marian"},
                                                                                  {0x10002, "intgemm16 of Marian"},
                                                                                  {0x18001, "intgemm8ssse3"},
                                                                                  {0x11001, "intgemm8avx2"},
                                                                                  {0x12001, "intgemm8avx512"},
                                                                                  {0x13001, "intgemm8avx512vnni"},
                                                                                  {0x14002, "intgemm16sse2"},
                                                                                  {0x11002, "intgemm16avx2"},
                                                                                  {0x12002, "intgemm16avx512"}}};

/// What the file says of an item before its data.
struct Item {
  std::uint64_t name_bytes = 0;  ///< its NUL included
  std::uint64_t type = 0;
  std::uint64_t rank = 0;
  std::uint64_t data_bytes = 0;
  std::string name;
  std::vector<std::int64_t> shape;
};

class BinReader {
 public:
  BinReader(std::string_view file, const std::string& name) : rest_(file), name_(name) {}

  [[nodiscard]] std::map<std::string, NpyArray> read() {
    check_version();
    auto items = read_headers();
    for (auto& item : items) {
      item.name = read_name(item.name_bytes);
    }
    for (auto& item : items) {
      item.shape = read_shape(item);
    }
    (void)take(number(), "padding");
    std::map<std::string, NpyArray> arrays;
    for (const auto& item : items) {
      if (!arrays.emplace(item.name, read_array(item)).second) {
        fail(item, "damaged: it is there twice");
      }
    }
    if (!rest_.empty()) {
      fail(fmt::format("damaged: {} bytes behind its last item", rest_.size()));
    }
    return arrays;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw CheckpointError(fmt::format("{}: {}", name_, problem));
  }
  [[noreturn]] void fail(const Item& item, const std::string& problem) const {
    fail(fmt::format("{}: {}", shown(item.name), problem));
  }

  [[nodiscard]] std::string_view take(std::uint64_t bytes, const char* what) {
    if (bytes > rest_.size()) {
      fail(fmt::format("truncated or damaged: {} of {} bytes, but {} are left", what, bytes, rest_.size()));
    }
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  [[nodiscard]] std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof(value), "a number").data(), sizeof(value));
    return value;
  }

  void check_version() {
    const auto version = number();
    if (version == kEncryptedVersion) {
      fail("it is encrypted (version 2 of Marian's container), which is not supported");
    }
    if (version != kVersion) {
      fail(fmt::format("not a model of Marian: it begins with the version {}, expected {}", version, kVersion));
    }
  }

  [[nodiscard]] std::vector<Item> read_headers() {
    const auto count = number();
    if (count > rest_.size() / kHeaderBytes) {
      fail(fmt::format("truncated or damaged: {} items cannot be in {} bytes", count, rest_.size()));
    }
    std::vector<Item> items(count);
    for (auto& item : items) {
      item.name_bytes = number();
      item.type = number();
      item.rank = number();
      item.data_bytes = number();
    }
    return items;
  }

  [[nodiscard]] std::string read_name(std::uint64_t bytes) {
    const auto name = take(bytes, "a name");
    if (name.empty() || name.find('\0') != name.size() - 1) {
      fail("damaged: the name of an item does not end where it should");
    }
    return std::string(name.substr(0, name.size() - 1));
  }

  [[nodiscard]] std::vector<std::int64_t> read_shape(const Item& item) {
    if (item.rank > rest_.size() / sizeof(std::int32_t)) {
      fail(item, fmt::format("truncated or damaged: {} dimensions cannot be in {} bytes", item.rank, rest_.size()));
    }
    std::vector<std::int32_t> sizes(item.rank);
    const auto bytes = take(item.rank * sizeof(std::int32_t), "a shape");
    std::ranges::copy(bytes, reinterpret_cast<char*>(sizes.data()));
    if (std::ranges::any_of(sizes, [](std::int32_t size) { return size < 0; })) {
      fail(item, "damaged: a negative number in its shape");
    }
    return {sizes.begin(), sizes.end()};
  }

  [[nodiscard]] const ReadableType& type_of(const Item& item) const {
    const auto* const found = std::ranges::find(kReadableTypes, item.type, &ReadableType::code);
    if (found != kReadableTypes.end()) {
      return *found;
    }
    for (const auto& [code, refused] : kRefusedTypes) {
      if (code == item.type) {
        fail(item, fmt::format("its type is {} ({:#x}), which is not supported; expected float32, or intgemm8 of "
                               "Bergamot (0x4101): take the .npz file that the model was made from",
                               refused, code));
      }
    }
    fail(item, fmt::format("its type {:#x} is unknown", item.type));
  }

  [[nodiscard]] NpyArray read_array(const Item& item) {
    const auto& type = type_of(item);
    NpyArray array{.type = type.name, .shape = item.shape, .bytes = {}};
    auto needed = type.size;
    for (const auto size : array.shape) {
      if (__builtin_mul_overflow(needed, static_cast<std::uint64_t>(size), &needed)) {
        fail(item, "damaged: its shape is too large");
      }
    }
    if (__builtin_add_overflow(needed, type.trailing, &needed) || item.data_bytes < needed ||
        item.data_bytes - needed >= kAlignment) {
      fail(item, fmt::format("damaged: {} bytes of numbers, its shape needs {}", item.data_bytes, needed));
    }
    const auto data = take(item.data_bytes, "numbers");
    array.bytes = std::string(data.substr(0, needed));
    return array;
  }

  std::string_view rest_;
  const std::string& name_;
};

}  // namespace

std::map<std::string, NpyArray> read_marian_bin(std::string_view file, const std::string& name) {
  return BinReader(file, name).read();
}

}  // namespace translate::tools

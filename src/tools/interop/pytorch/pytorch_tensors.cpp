#include "interop/pytorch/pytorch_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/foreign_text.h"

namespace translate::tools {

namespace {

// An expanded tensor (stride 0) has more values than its storage; copying it must not fill the memory.
constexpr std::int64_t kMaxExpanded = 1 << 20;
// Nor must the copies of many tensors of one storage: they may take this much, and some times the storages' memory.
constexpr std::uint64_t kFreeCopies = std::uint64_t{64} << 20;
constexpr std::uint64_t kCopiesOfStorages = 4;

/// Returns the number of values, or nothing if it is negative or does not fit.
std::optional<std::int64_t> count_values(const std::vector<std::int64_t>& sizes) {
  std::int64_t nonzero = 1;  // zeros are skipped: [0, huge, huge] is empty all the same
  bool empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0 || (size > 0 && __builtin_mul_overflow(nonzero, size, &nonzero))) {
      return std::nullopt;
    }
    empty = empty || size == 0;
  }
  return empty ? 0 : nonzero;
}

/// Returns true if every value of a tensor of `values` values lies within its storage.
bool lies_within_storage(const PickledTensor& tensor, std::int64_t values) {
  const std::int64_t elements = tensor.storage.elements;
  if (tensor.sizes.size() != tensor.strides.size() || tensor.offset < 0 || tensor.offset > elements) {
    return false;
  }
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

/// Returns true if the values stand one after another in row-major order.
bool is_contiguous(const PickledTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected) {
      return false;
    }
    expected *= tensor.sizes[i];
  }
  return true;
}

/// Copies the values, of this many bytes each, into row-major order. The tensor lies within its storage, `from`, and is
/// not empty.
template <std::size_t kBytes>
void copy_values(const PickledTensor& tensor, const char* from, char* to) {
  const std::size_t dimensions = tensor.sizes.size();
  std::vector<std::int64_t> index(dimensions, 0);
  std::int64_t place = tensor.offset;  // of the value at `index`
  while (true) {
    std::memcpy(to, from + static_cast<std::size_t>(place) * kBytes, kBytes);
    to += kBytes;
    std::size_t i = dimensions;
    for (; i > 0; --i) {  // the last index changes fastest
      const std::size_t axis = i - 1;
      if (++index[axis] < tensor.sizes[axis]) {
        place += tensor.strides[axis];
        break;
      }
      place -= tensor.strides[axis] * (tensor.sizes[axis] - 1);
      index[axis] = 0;
    }
    if (i == 0) {
      return;
    }
  }
}

}  // namespace

PytorchTensors::PytorchTensors(const PytorchStorages& storages, const std::filesystem::path& file)
    : in_file_(storages), file_(file) {}

void PytorchTensors::fail(const std::string& name, const std::string& what) const {
  throw CheckpointError(fmt::format("{}: tensor \"{}\": {}", file_.string(), shown(name), what));
}

StoredArray PytorchTensors::tensor(const std::string& name, const PickledTensor& pickled) {
  const auto values = count_values(pickled.sizes);
  if (!values || !lies_within_storage(pickled, *values)) {
    fail(name, fmt::format("damaged: size [{}] with strides [{}] from {} on is not within its storage of {} elements",
                           fmt::join(pickled.sizes, ", "), fmt::join(pickled.strides, ", "), pickled.offset,
                           pickled.storage.elements));
  }
  const auto& whole = storage(name, pickled.storage);
  StoredArray array{.dtype = whole.dtype, .shape = pickled.sizes, .data = {}, .file = {}};
  if (*values == 0) {
    array.data = {whole.bytes, whole.bytes.get()};
  } else if (is_contiguous(pickled)) {
    array.data = {whole.bytes, whole.bytes.get() + static_cast<std::size_t>(pickled.offset) * bytes_of(whole.dtype)};
  } else {
    array.data = copied(name, pickled, whole, *values);
  }
  return array;
}

std::shared_ptr<const void> PytorchTensors::copied(const std::string& name, const PickledTensor& pickled,
                                                   const Storage& storage, std::int64_t values) {
  const std::size_t element = bytes_of(storage.dtype);
  const std::size_t bytes = static_cast<std::size_t>(values) * element;
  copied_bytes_ += bytes;
  if (copied_bytes_ > kFreeCopies + kCopiesOfStorages * read_bytes_) {
    fail(name, "the tensors of this file overlap, and would take far more memory than it: save clones instead");
  }
  const std::shared_ptr<char[]> numbers(new char[bytes]);  // aligned for any type
  switch (element) {
    case 1:
      copy_values<1>(pickled, storage.bytes.get(), numbers.get());
      break;
    case 2:
      copy_values<2>(pickled, storage.bytes.get(), numbers.get());
      break;
    case 4:
      copy_values<4>(pickled, storage.bytes.get(), numbers.get());
      break;
    default:
      copy_values<8>(pickled, storage.bytes.get(), numbers.get());
  }
  return {numbers, numbers.get()};
}

const PytorchTensors::Storage& PytorchTensors::storage(const std::string& name, const PickledStorage& pickled) {
  const auto known = storages_.find(pickled.key);
  if (known != storages_.end()) {
    if (known->second.dtype != pickled.dtype || known->second.elements != pickled.elements) {
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
  Storage storage{.dtype = pickled.dtype, .elements = pickled.elements, .bytes = {}};
  storage.bytes.reset(new char[bytes]);  // aligned for any type
  const std::span<char> values(storage.bytes.get(), bytes);
  in_file_.read(pickled.key, values);
  if (pickled.dtype == NumberType::kBool && std::ranges::any_of(values, [](char c) { return c != 0 && c != 1; })) {
    fail(name, fmt::format("damaged: its storage {} holds bytes that are not booleans", pickled.key));
  }
  read_bytes_ += bytes;
  return storages_.emplace(pickled.key, std::move(storage)).first->second;
}

}  // namespace translate::tools

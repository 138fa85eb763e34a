#include "translate/checkpoint/pytorch_tensors.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "translate/core/error.h"

namespace translate {
namespace {

// An expanded tensor (stride 0) has more values than its storage; one that is copied must not fill the memory.
constexpr std::int64_t kMaxExpanded = 1 << 20;

/// Number of values, nothing where it is negative or does not fit.
std::optional<std::int64_t> count_values(const std::vector<std::int64_t>& sizes) {
  std::int64_t nonzero = 1;  // zeros are left out: [0, huge, huge] would overflow where ATen works out its strides
  bool empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0 || (size > 0 && __builtin_mul_overflow(nonzero, size, &nonzero))) return std::nullopt;
    empty = empty || size == 0;
  }
  return empty ? 0 : nonzero;
}

/// True where every value of a tensor of `values` values stands within its storage.
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

PytorchTensors::PytorchTensors(const ZipArchive& archive, std::string folder, const std::filesystem::path& file)
    : archive_(archive), folder_(std::move(folder)), file_(file) {}

void PytorchTensors::fail(const std::string& name, const std::string& what) const {
  throw CheckpointError(fmt::format("{}: tensor \"{}\": {}", file_.string(), name, what));
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
    if (known->second.scalar_type() != pickled.dtype || known->second.numel() != pickled.elements) {
      fail(name, fmt::format("damaged: its storage {} has two different descriptions", pickled.key));
    }
    return known->second;
  }
  const std::string entry = folder_ + "data/" + pickled.key;
  const std::uint64_t bytes = archive_.size(entry);
  const std::size_t element = c10::elementSize(pickled.dtype);
  if (pickled.elements < 0 || bytes % element != 0 || bytes / element != static_cast<std::uint64_t>(pickled.elements)) {
    fail(name, fmt::format("damaged: its storage {} has {} bytes, not {} elements of {}", pickled.key, bytes,
                           pickled.elements, c10::toString(pickled.dtype)));
  }
  const at::Tensor elements = at::empty({pickled.elements}, at::TensorOptions().dtype(pickled.dtype));
  const std::span<char> values(static_cast<char*>(elements.mutable_data_ptr()), bytes);
  archive_.read(entry, values);
  if (pickled.dtype == c10::ScalarType::Bool && std::ranges::any_of(values, [](char c) { return c != 0 && c != 1; })) {
    fail(name, fmt::format("damaged: its storage {} holds bytes that are not booleans", pickled.key));
  }
  return storages_.emplace(pickled.key, elements).first->second;
}

}  // namespace translate

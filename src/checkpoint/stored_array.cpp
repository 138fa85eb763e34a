#include "translate/checkpoint/stored_array.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "translate/core/error.h"

namespace translate {
namespace {

/// Calls take(pointer) with the numbers as their type has them.
template <class Take>
void visit_numbers(const StoredArray& array, const std::string& name, const Take& take) {
  const void* data = array.data.get();
  switch (array.dtype) {
    case c10::ScalarType::Float:
      return take(static_cast<const float*>(data));
    case c10::ScalarType::Double:
      return take(static_cast<const double*>(data));
    case c10::ScalarType::Half:
      return take(static_cast<const c10::Half*>(data));
    case c10::ScalarType::BFloat16:
      return take(static_cast<const c10::BFloat16*>(data));
    default:
      throw CheckpointError(
          fmt::format("{} is of type {}, expected floating-point numbers", name, c10::toString(array.dtype)));
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

/// Hands `values` over to a pointer to them.
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

std::size_t StoredArray::bytes() const { return static_cast<std::size_t>(count()) * c10::elementSize(dtype); }

std::shared_ptr<const float> as_floats(const StoredArray& array, const std::string& name) {
  if (array.dtype == c10::ScalarType::Float) {
    return {array.data, static_cast<const float*>(array.data.get())};
  }
  return shared(converted<float>(array, name));
}

std::vector<double> as_doubles(const StoredArray& array, const std::string& name) {
  return converted<double>(array, name);
}

void release_pages(const StoredArray& array) {
  if (!array.mapped) {
    return;
  }
  // Whole pages alone: what lies beside the array on its first and last page belongs to others.
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(array.data.get());
  const auto begin = (address + page - 1) / page * page;
  const auto end = (address + array.bytes()) / page * page;
  if (begin < end) {
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

StoredArray stored_floats(std::vector<std::int64_t> shape, std::vector<float> values) {
  return {.dtype = c10::ScalarType::Float, .shape = std::move(shape), .data = shared(std::move(values))};
}

}  // namespace translate

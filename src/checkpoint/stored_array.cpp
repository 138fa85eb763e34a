#include "translate/checkpoint/stored_array.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "translate/core/error.h"
#include "translate/core/page_block.h"

namespace translate {
namespace {

/// Calls take(pointer) with the numbers as their type has them.
template <class Take>
void visit_numbers(const StoredArray& array, const std::string& name, const Take& take) {
  const auto owner = array.numbers();
  const void* data = owner.get();
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

void StoredArray::read(std::span<char> to) const { file->read(offset, to.first(bytes())); }

std::shared_ptr<const void> StoredArray::numbers() const {
  if (data || !file) return data;
  constexpr std::size_t kLarge = std::size_t{1} << 20U;
  if (bytes() < kLarge) {
    const std::shared_ptr<char[]> block(new char[bytes()]);  // aligned for any type
    read({block.get(), bytes()});
    return {block, block.get()};
  }
  // The system gets these pages back as soon as nobody looks at the numbers any more.
  const auto pages = std::make_shared<PageBlock<char>>(bytes());
  // All at once is far quicker than page by page; a kernel that does not know this does the latter.
  (void)::madvise(pages->span().data(), bytes(), MADV_POPULATE_WRITE);
  read(pages->span());
  return {pages, pages->span().data()};
}

std::size_t StoredArray::bytes() const { return static_cast<std::size_t>(count()) * c10::elementSize(dtype); }

std::shared_ptr<const float> as_floats(const StoredArray& array, const std::string& name) {
  if (array.dtype == c10::ScalarType::Float) {
    const auto numbers = array.numbers();
    return {numbers, static_cast<const float*>(numbers.get())};
  }
  return shared(converted<float>(array, name));
}

std::vector<double> as_doubles(const StoredArray& array, const std::string& name) {
  return converted<double>(array, name);
}

StoredArray stored_floats(std::vector<std::int64_t> shape, std::vector<float> values) {
  return {.dtype = c10::ScalarType::Float, .shape = std::move(shape), .data = shared(std::move(values)), .file = {}};
}

}  // namespace translate

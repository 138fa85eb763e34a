#include "translate/checkpoint/pickle_value.h"

#include <fmt/format.h>

#include <array>

#include "translate/core/error.h"

namespace translate {
namespace {

// Some hundred times what the largest models need; a file of one-byte opcodes must not fill the memory.
constexpr std::size_t kMaxValues = 1'000'000;

}  // namespace

const PickledTensor* PickleValue::tensor() const {
  const auto* const pointer = as<std::unique_ptr<PickledTensor>>();
  return pointer == nullptr ? nullptr : pointer->get();
}

std::string_view PickleValue::kind() const {
  constexpr std::array<std::string_view, std::variant_size_v<Variant>> kKinds = {
      "None",      "a bool",  "an int", "a float", "a string", "a list", "a tuple", "a dict", "a function or a type",
      "a storage", "a tensor"};
  return kKinds.at(value.index());
}

PickleValue* PickleDocument::add(PickleValue::Variant value) {
  if (values_.size() >= kMaxValues) fail(fmt::format("it holds more than {} objects", kMaxValues));
  return &values_.emplace_back(std::move(value));
}

void PickleDocument::fail(std::string_view what) const {
  throw CheckpointError(fmt::format("{}: data.pkl: {}", file_.string(), what));
}

}  // namespace translate

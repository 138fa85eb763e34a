#include "interop/marian/quantized_matrix.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace translate::tools {

namespace {

template <class Number>
std::vector<float> divided(const NpyArray& array, float factor) {
  std::vector<float> values;
  const auto count = static_cast<std::size_t>(array.count());
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Number number = 0;
    std::memcpy(&number, array.bytes.data() + i * sizeof(Number), sizeof(Number));
    values.push_back(static_cast<float>(number) / factor);
  }
  return values;
}

}  // namespace

bool is_quantized(const NpyArray& array) { return array.type == kIntgemm8 || array.type == kIntgemm16; }

std::vector<float> dequantized(const NpyArray& array, const std::string& name) {
  float factor = 0.0F;
  std::memcpy(&factor, array.bytes.data() + array.bytes.size() - sizeof(factor), sizeof(factor));
  if (!std::isfinite(factor) || factor <= 0.0F) {
    throw CheckpointError(fmt::format("{}: damaged: its factor is {}, expected a positive number", name, factor));
  }
  return array.type == kIntgemm8 ? divided<std::int8_t>(array, factor) : divided<std::int16_t>(array, factor);
}

}  // namespace translate::tools

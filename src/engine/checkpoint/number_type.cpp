#include "checkpoint/number_type.h"

#include <array>

namespace translate {

namespace {

struct Description {
  std::string_view name;
  std::size_t bytes = 0;
};

/// In the order of the enumeration.
constexpr std::array<Description, 10> kDescriptions = {{
    {"float64", 8},
    {"float32", 4},
    {"float16", 2},
    {"bfloat16", 2},
    {"int64", 8},
    {"int32", 4},
    {"int16", 2},
    {"int8", 1},
    {"uint8", 1},
    {"bool", 1},
}};

}  // namespace

std::string_view name_of(NumberType type) { return kDescriptions[static_cast<std::size_t>(type)].name; }

std::size_t bytes_of(NumberType type) { return kDescriptions[static_cast<std::size_t>(type)].bytes; }

bool is_floating(NumberType type) { return type <= NumberType::kBfloat16; }

}  // namespace translate

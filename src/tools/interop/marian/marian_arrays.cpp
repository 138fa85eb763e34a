#include "interop/marian/marian_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/foreign_text.h"
#include "interop/marian/quantized_matrix.h"

namespace translate::tools {

MarianArrays::MarianArrays(std::map<std::string, NpyArray> arrays, std::string origin)
    : arrays_(std::move(arrays)), origin_(std::move(origin)) {}

void MarianArrays::fail(const std::string& problem) const {
  throw CheckpointError(fmt::format("{}: {}", origin_, problem));
}

std::string MarianArrays::options_text() const {
  const auto found = arrays_.find(kMarianOptionsEntry);
  if (found == arrays_.end()) {
    fail(fmt::format("there is no {} in it, so it is not a model of Marian", kMarianOptionsEntry));
  }
  auto yaml = found->second.bytes;
  yaml.resize(std::min(yaml.find('\0'), yaml.size()));
  return yaml;
}

const NpyArray& MarianArrays::take(const std::string& name, const std::vector<std::vector<std::int64_t>>& shapes) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) {
    fail(name + " is missing");
  }
  const auto& array = found->second;
  if (std::ranges::find(shapes, array.shape) == shapes.end()) {
    fail(fmt::format("{} has shape [{}], expected [{}]", name, fmt::join(array.shape, ", "),
                     fmt::join(shapes.front(), ", ")));
  }
  taken_.insert(name);
  return array;
}

std::vector<float> MarianArrays::row(const std::string& name, std::int64_t count) {
  return take(name, {{1, count}, {count}}).floats(fmt::format("{}: {}", origin_, name));
}

std::vector<float> MarianArrays::matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
  const auto& array = take(name, {{rows, columns}});
  const auto title = fmt::format("{}: {}", origin_, name);
  return is_quantized(array) ? dequantized(array, title) : array.floats(title);
}

std::vector<float> MarianArrays::transposed(const std::string& name, std::int64_t rows, std::int64_t columns) {
  const auto& array = take(name, {{columns, rows}});
  const auto title = fmt::format("{}: {}", origin_, name);
  if (is_quantized(array)) {
    return dequantized(array, title);  // it is stored in this order
  }
  const auto from = array.floats(title);
  std::vector<float> to(from.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      to[static_cast<std::size_t>(row * columns + column)] = from[static_cast<std::size_t>(column * rows + row)];
    }
  }
  return to;
}

void MarianArrays::finish() const {
  for (const auto& [name, array] : arrays_) {
    if (taken_.contains(name) || name.starts_with("special:")) {
      continue;
    }
    if (!name.ends_with(kActivationFactorEnding)) {
      fail(fmt::format("{} is left over: it belongs to a part that is not supported", shown(name)));
    }
    if (array.floats(fmt::format("{}: {}", origin_, shown(name))).size() != 1) {
      fail(fmt::format("{} has {} numbers, expected one factor", shown(name), array.count()));
    }
  }
}

}  // namespace translate::tools

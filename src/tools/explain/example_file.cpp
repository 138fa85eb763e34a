#include "explain/example_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_descriptor.h"
#include "explain/text_layout.h"

namespace translate::tools {

namespace {

constexpr double kLargestNumber = 1e9;  // sums of products of such numbers do not overflow a float
constexpr double kLargestClaim = std::numeric_limits<float>::max();
constexpr const char* kBlank = "_";  // in place of a claimed number that the reader is to fill in

/// Where a number stands: only claims may have null, "?" and "_".
enum class Place { kInput, kClaim };

JsonDocument read_document(const std::filesystem::path& path) {
  try {
    return JsonDocument::parse(read_file(path), path.string());
  } catch (const PathError& error) {
    throw DataError(fmt::format("example: {}", error.what()));
  }
}

bool holds_blank(const Json& json) {
  return json == kBlank || (json.is_array() && std::ranges::any_of(json, holds_blank));
}

/// Returns the elements of a list that may not be empty or too long. `expected`: "a row: a list"; `of`: "numbers".
std::vector<JsonValue> elements_of(const JsonValue& list, const char* expected, const char* of) {
  const Json& json = list.json();
  if (!json.is_array() || !kExampleSizes.holds(static_cast<double>(json.size()))) {
    list.fail(fmt::format("expected {} 1 to {} {}, got {}", expected, kExampleSizes.highest, of,
                          json.is_array() ? fmt::format("{} of them", json.size()) : describe_value(json)));
  }
  return list.elements();
}

float number_of(const JsonValue& value, Place place) {
  const Json& json = value.json();
  const bool is_open = json == "?" || json == kBlank;
  if (json.is_null() && place == Place::kClaim) {
    return -std::numeric_limits<float>::infinity();
  }
  if (is_open && place == Place::kClaim) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (json.is_null()) {
    value.fail("expected a number, got null, which stands for -inf in claims alone");
  }
  if (is_open) {
    value.fail(fmt::format("expected a number, got {}, which stands for {} and is allowed in claims only",
                           describe_value(json), json == "?" ? "an open number" : "a number to fill in"));
  }
  if (json.is_boolean()) {
    return json.get<bool>() ? 1.0F : 0.0F;
  }
  const double largest = place == Place::kClaim ? kLargestClaim : kLargestNumber;
  const double number = value.number(between(-largest, largest));
  const auto single = static_cast<float>(number);
  if (json.is_number_integer() && place == Place::kInput && static_cast<double>(single) != number) {
    value.fail(fmt::format("{} has too many digits: it would be computed as {:.0f} in single precision",
                           describe_value(json), single));
  }
  return single;
}

at::Tensor matrix_of(const JsonValue& matrix, Place place) {
  const auto rows = elements_of(matrix, "a matrix: a list of", "rows");
  std::vector<float> values;
  for (const auto& row : rows) {
    const auto numbers = elements_of(row, "a row: a list of", "numbers");
    const auto columns = std::ssize(rows.front().json());
    if (std::ssize(numbers) != columns) {
      row.fail(fmt::format("expected {} as in the first row, got {}", counted(columns, "number"), numbers.size()));
    }
    for (const auto& number : numbers) {
      values.push_back(number_of(number, place));
    }
  }
  return at::tensor(values, at::kFloat).view({std::ssize(rows), -1});  // (rows, columns)
}

}  // namespace

ExampleFile::ExampleFile(const std::filesystem::path& path)
    : document_(read_document(path)),
      root_(document_.root(), {.document = &document_, .raise = &throw_error<ConfigError>}) {
  if (!root_.json().is_object()) {
    root_.fail_expected("an object");
  }
}

std::vector<std::int64_t> ExampleFile::integers(const std::string& key, const NumberRange& range) const {
  std::vector<std::int64_t> values;
  for (const auto& value : elements_of(member(key), "a list of", "integers")) {
    values.push_back(value.integer(range));
  }
  return values;
}

at::Tensor ExampleFile::matrix(const std::string& key) const { return matrix_of(member(key), Place::kInput); }

at::Tensor ExampleFile::matrix(const std::string& key, std::int64_t rows, std::int64_t columns) const {
  auto value = matrix(key);
  if (value.size(0) != rows || value.size(1) != columns) {
    member(key).fail(
        fmt::format("expected {} of {}, got {} of {}", counted(rows, "row"), columns, value.size(0), value.size(1)));
  }
  return value;
}

at::Tensor ExampleFile::vector(const std::string& key, std::int64_t columns, float otherwise) const {
  if (!has(key)) {
    return at::full({columns}, otherwise);
  }
  const auto numbers = elements_of(member(key), "a list of", "numbers");
  if (std::ssize(numbers) != columns) {
    member(key).fail(fmt::format("expected {}, got {}", counted(columns, "number"), numbers.size()));
  }
  std::vector<float> values;
  for (const auto& number : numbers) {
    values.push_back(number_of(number, Place::kInput));
  }
  return at::tensor(values, at::kFloat);  // (columns)
}

bool ExampleFile::mask_is_causal() const {
  const auto mask = member("mask");
  if (!mask.json().is_string()) {
    return false;
  }
  if (mask.json() != "causal") {
    mask.fail("expected \"causal\" or a matrix in which 1 = may attend");
  }
  return true;
}

std::vector<std::string> ExampleFile::claims(const std::vector<std::string>& known) const {
  const auto claimed = member("claimed");
  if (!claimed.exists()) {
    return {};
  }
  if (!claimed.json().is_object()) {
    claimed.fail("expected an object of matrices by the names of the steps");
  }
  claimed.allow_keys(known);
  std::vector<std::string> names;
  for (const auto& [name, claim] : claimed.members()) {
    names.push_back(name);
  }
  return names;
}

at::Tensor ExampleFile::claim(const std::string& step, at::IntArrayRef shape) const {
  const auto claim = member("claimed").member(step);
  if (!claim.exists()) {
    return {};
  }
  at::Tensor claimed;
  if (shape.size() == 3 && claim.json().is_array()) {
    std::vector<at::Tensor> heads;
    for (const auto& head : claim.elements()) {
      heads.push_back(matrix_of(head, Place::kClaim));
    }
    if (!heads.empty() && std::ranges::all_of(heads, [&](const auto& h) { return h.sizes() == heads[0].sizes(); })) {
      claimed = at::stack(heads);
    }
  } else {
    claimed = matrix_of(claim, Place::kClaim);
  }
  if (!claimed.defined() || claimed.sizes() != shape) {
    claim.fail("expected the shape of what is computed, " + shape_text(shape));
  }
  return claimed;
}

bool ExampleFile::has_blanks(const std::string& step) const {
  const auto claim = member("claimed").member(step);
  return claim.exists() && holds_blank(claim.json());
}

}  // namespace translate::tools

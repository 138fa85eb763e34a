#include "explain/example_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text_distance.h"
#include "explain/text_layout.h"

namespace translate {

namespace {

constexpr std::int64_t kLargest = 256;  // rows, columns, heads: enough for exercises
constexpr double kLargestNumber = 1e9;  // sums of products of such numbers do not overflow a float
constexpr double kLargestClaim = std::numeric_limits<float>::max();
constexpr const char* kBlank = "_";  // in place of a claimed number that the reader is to fill in

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

/// Describes a value for a message; a list by its length.
std::string describe_list(const Json& json) {
  return json.is_array() ? fmt::format("{} of them", json.size()) : describe_value(json);
}

}  // namespace

ExampleFile::ExampleFile(const std::filesystem::path& path) : document_(read_document(path)) {
  if (!document_.root().is_object()) {
    fail("", "expected an object");
  }
}

void ExampleFile::check_keys(const std::vector<std::string>& known) const { check_keys("", document_.root(), known); }

std::vector<std::string> ExampleFile::keys() const {
  std::vector<std::string> keys;
  for (const auto& item : document_.root().items()) {
    keys.push_back(item.key());
  }
  return keys;
}

std::string ExampleFile::text(const std::string& key) const {
  if (!has(key)) {
    return "";
  }
  if (!document_.root()[key].is_string()) {
    fail(key, "expected a string, got " + describe_value(document_.root()[key]));
  }
  return document_.root()[key];
}

double ExampleFile::number(const std::string& key, double otherwise) const {
  if (!has(key)) {
    return otherwise;
  }
  const auto& value = document_.root()[key];
  if (!value.is_number() || value.get<double>() < 0.0) {
    fail(key, "expected a number of at least 0, got " + describe_value(value));
  }
  return value;
}

std::int64_t ExampleFile::count(const std::string& key, std::int64_t otherwise) const {
  return has(key) ? integer(key, 1, kLargest) : otherwise;
}

std::int64_t ExampleFile::integer(const std::string& key, std::int64_t lowest, std::int64_t highest) const {
  return integer_of(value_of(key), key, lowest, highest);
}

std::vector<std::int64_t> ExampleFile::integers(const std::string& key, std::int64_t lowest,
                                                std::int64_t highest) const {
  const auto& json = value_of(key);
  check_length(json, key, "a list", "integers");
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    values.push_back(integer_of(json[i], fmt::format("{}[{}]", key, i), lowest, highest));
  }
  return values;
}

at::Tensor ExampleFile::matrix(const std::string& key) const { return matrix_of(value_of(key), key, Place::kInput); }

at::Tensor ExampleFile::matrix(const std::string& key, std::int64_t rows, std::int64_t columns) const {
  auto value = matrix(key);
  if (value.size(0) != rows || value.size(1) != columns) {
    fail(key,
         fmt::format("expected {} of {}, got {} of {}", counted(rows, "row"), columns, value.size(0), value.size(1)));
  }
  return value;
}

at::Tensor ExampleFile::vector(const std::string& key, std::int64_t columns, float otherwise) const {
  if (!has(key)) {
    return at::full({columns}, otherwise);
  }
  const auto& json = document_.root()[key];
  check_length(json, key, "a list", "numbers");
  if (std::ssize(json) != columns) {
    fail(key, fmt::format("expected {}, got {}", counted(columns, "number"), json.size()));
  }
  std::vector<float> values;
  for (const auto& value : json) {
    values.push_back(number_of(value, key, Place::kInput));
  }
  return at::tensor(values, at::kFloat);  // (columns)
}

bool ExampleFile::mask_is_causal() const {
  if (!document_.root()["mask"].is_string()) {
    return false;
  }
  if (document_.root()["mask"] != "causal") {
    fail("mask", "expected \"causal\" or a matrix in which 1 = may attend");
  }
  return true;
}

std::vector<std::string> ExampleFile::claims(const std::vector<std::string>& known) const {
  if (!has("claimed")) {
    return {};
  }
  const auto& claimed = document_.root()["claimed"];
  if (!claimed.is_object()) {
    fail("claimed", "expected an object of matrices by the names of the steps");
  }
  check_keys("claimed", claimed, known);
  std::vector<std::string> names;
  for (const auto& item : claimed.items()) {
    names.push_back(item.key());
  }
  return names;
}

at::Tensor ExampleFile::claim(const std::string& step, at::IntArrayRef shape) const {
  if (!has("claimed") || !document_.root()["claimed"].contains(step)) {
    return {};
  }
  const auto path = join_path("claimed", step);
  const auto& json = document_.root()["claimed"][step];
  at::Tensor claimed;
  if (shape.size() == 3 && json.is_array()) {
    std::vector<at::Tensor> heads;
    for (std::size_t i = 0; i < json.size(); ++i) {
      heads.push_back(matrix_of(json[i], fmt::format("{}[{}]", path, i), Place::kClaim));
    }
    if (!heads.empty() && std::ranges::all_of(heads, [&](const auto& h) { return h.sizes() == heads[0].sizes(); })) {
      claimed = at::stack(heads);
    }
  } else {
    claimed = matrix_of(json, path, Place::kClaim);
  }
  if (!claimed.defined() || claimed.sizes() != shape) {
    fail(path, "expected the shape of what is computed, " + shape_text(shape));
  }
  return claimed;
}

bool ExampleFile::has_blanks(const std::string& step) const {
  return has("claimed") && document_.root()["claimed"].contains(step) && holds_blank(document_.root()["claimed"][step]);
}

void ExampleFile::fail(const std::string& path, const std::string& message) const {
  throw ConfigError(fmt::format("{}: {}{}", document_.describe(document_.position_of_value(path)),
                                path.empty() ? "" : "`" + path + "`: ", message));
}

const Json& ExampleFile::value_of(const std::string& key) const {
  if (!has(key)) {
    fail("", fmt::format("expected the key `{}`", key));
  }
  return document_.root()[key];
}

void ExampleFile::check_keys(const std::string& object, const Json& json, const std::vector<std::string>& known) const {
  for (const auto& item : json.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) {
      continue;
    }
    const auto path = join_path(object, item.key());
    const auto nearest = nearest_name(item.key(), known);
    throw ConfigError(fmt::format("{}: unknown key `{}`{}", document_.describe(document_.position_of_key(path)), path,
                                  nearest ? fmt::format("; did you mean `{}`?", *nearest) : std::string()));
  }
}

void ExampleFile::check_length(const Json& json, const std::string& path, const char* expected,
                               const char* elements) const {
  if (!json.is_array() || json.empty() || std::ssize(json) > kLargest) {
    fail(path, fmt::format("expected {} of 1 to {} {}, got {}", expected, kLargest, elements, describe_list(json)));
  }
}

float ExampleFile::number_of(const Json& json, const std::string& path, Place place) const {
  if (json.is_null() && place == Place::kClaim) {
    return -std::numeric_limits<float>::infinity();
  }
  if (json.is_null()) {
    fail(path, "expected numbers, got null, which stands for -inf in claims alone");
  }
  if ((json == "?" || json == kBlank) && place == Place::kClaim) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (json == "?" || json == kBlank) {
    fail(path, fmt::format("expected numbers, got {}, which stands for {} and is allowed in claims only",
                           describe_value(json), json == "?" ? "an open number" : "a number to fill in"));
  }
  if (json.is_boolean()) {
    return json.get<bool>() ? 1.0F : 0.0F;
  }
  const auto largest = place == Place::kClaim ? kLargestClaim : kLargestNumber;
  if (!json.is_number() || std::abs(json.get<double>()) > largest) {
    fail(path, fmt::format("expected numbers from -{0:g} to {0:g}, got {1}", largest, describe_value(json)));
  }
  const auto number = json.get<float>();
  if (json.is_number_integer() && place == Place::kInput && static_cast<double>(number) != json.get<double>()) {
    fail(path, fmt::format("{} has too many digits: it would be computed as {:.0f} in single precision",
                           describe_value(json), number));
  }
  return number;
}

std::int64_t ExampleFile::integer_of(const Json& json, const std::string& path, std::int64_t lowest,
                                     std::int64_t highest) const {
  if (!json.is_number_integer() || json.get<std::int64_t>() < lowest || json.get<std::int64_t>() > highest) {
    fail(path, fmt::format("expected an integer from {} to {}, got {}", lowest, highest, describe_value(json)));
  }
  return json.get<std::int64_t>();
}

at::Tensor ExampleFile::matrix_of(const Json& json, const std::string& path, Place place) const {
  check_length(json, path, "a matrix: a list", "rows");
  std::vector<float> values;
  for (std::size_t row = 0; row < json.size(); ++row) {
    const auto row_path = fmt::format("{}[{}]", path, row);
    check_length(json[row], row_path, "a row: a list", "numbers");
    if (json[row].size() != json[0].size()) {
      fail(row_path, fmt::format("expected {} as in the first row, got {}", counted(std::ssize(json[0]), "number"),
                                 json[row].size()));
    }
    for (const auto& value : json[row]) {
      values.push_back(number_of(value, row_path, place));
    }
  }
  return at::tensor(values, at::kFloat).view({std::ssize(json), -1});  // (rows, columns)
}

}  // namespace translate

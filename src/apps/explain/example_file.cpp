#include "apps/explain/example_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/explain/text_layout.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text_distance.h"

namespace translate {

namespace {

constexpr std::int64_t kLargest = 256;  // rows, columns, heads: enough for exercises
constexpr double kLargestNumber = 1e9;  // sums of products of such numbers do not overflow a float

JsonDocument read_document(const std::filesystem::path& path) {
  try {
    return JsonDocument::parse(read_file(path), path.string());
  } catch (const RuntimeError& error) {
    throw DataError(fmt::format("example: {}", error.what()));
  }
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
  check_keys("", document_.root(),
             {"title", "note", "X", "Z", "Q", "K", "V", "W", "W_q", "W_k", "W_v", "W_o", "heads", "d_k", "mask",
              "tolerance", "claimed"});
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
  if (!has(key)) {
    return otherwise;
  }
  const auto& value = document_.root()[key];
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > kLargest) {
    fail(key, fmt::format("expected an integer from 1 to {}, got {}", kLargest, describe_value(value)));
  }
  return value;
}

at::Tensor ExampleFile::matrix(const std::string& key) const {
  auto value = matrix(document_.root()[key], key);
  if (value.isinf().any().item<bool>()) {
    fail(key, "expected numbers, got null, which stands for -inf in claims alone");
  }
  return value;
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

void ExampleFile::check_claims(const std::vector<std::string>& steps) const {
  if (!has("claimed")) {
    return;
  }
  if (!document_.root()["claimed"].is_object()) {
    fail("claimed", "expected an object of matrices by the names of the steps");
  }
  const auto& claimed = document_.root()["claimed"];
  check_keys("claimed", claimed,
             {"X", "Z", "Q", "K", "V", "scores", "scaled", "masked", "weights", "heads", "joined", "output"});
  for (const auto& item : claimed.items()) {
    if (std::ranges::find(steps, item.key()) == steps.end()) {
      fail(join_path("claimed", item.key()),
           "this exercise has no such step (masked needs a mask, joined several heads, heads one of these or W_o)");
    }
  }
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
      heads.push_back(matrix(json[i], fmt::format("{}[{}]", path, i)));
    }
    if (!heads.empty() && std::ranges::all_of(heads, [&](const auto& h) { return h.sizes() == heads[0].sizes(); })) {
      claimed = at::stack(heads);
    }
  } else {
    claimed = matrix(json, path);
  }
  if (!claimed.defined() || claimed.sizes() != shape) {
    fail(path, "expected the shape of what is computed, " + shape_text(shape));
  }
  return claimed;
}

void ExampleFile::fail(const std::string& path, const std::string& message) const {
  throw ConfigError(fmt::format("{}: {}{}", document_.describe(document_.position_of_value(path)),
                                path.empty() ? "" : "`" + path + "`: ", message));
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

float ExampleFile::number_of(const Json& json, const std::string& path) const {
  if (json.is_null()) {
    return -std::numeric_limits<float>::infinity();
  }
  if (json.is_boolean()) {
    return json.get<bool>() ? 1.0F : 0.0F;
  }
  if (!json.is_number() || std::abs(json.get<double>()) > kLargestNumber) {
    fail(path, fmt::format("expected numbers from -{0:g} to {0:g}, got {1}", kLargestNumber, describe_value(json)));
  }
  return json.get<float>();
}

at::Tensor ExampleFile::matrix(const Json& json, const std::string& path) const {
  if (!json.is_array() || json.empty() || std::ssize(json) > kLargest) {
    fail(path, fmt::format("expected a matrix: a list of 1 to {} rows, got {}", kLargest, describe_list(json)));
  }
  std::vector<float> values;
  for (std::size_t row = 0; row < json.size(); ++row) {
    const auto row_path = fmt::format("{}[{}]", path, row);
    if (!json[row].is_array() || json[row].empty() || std::ssize(json[row]) > kLargest) {
      fail(row_path,
           fmt::format("expected a row: a list of 1 to {} numbers, got {}", kLargest, describe_list(json[row])));
    }
    if (json[row].size() != json[0].size()) {
      fail(row_path, fmt::format("expected {} numbers as in the first row, got {}", json[0].size(), json[row].size()));
    }
    for (const auto& value : json[row]) {
      values.push_back(number_of(value, row_path));
    }
  }
  return at::tensor(values, at::kFloat).view({std::ssize(json), -1});  // (rows, columns)
}

}  // namespace translate

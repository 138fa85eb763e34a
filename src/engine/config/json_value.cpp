#include "config/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/foreign_text.h"
#include "core/text_distance.h"

namespace translate {

namespace {

/// Whether a value is an integer of at most 2^63 - 1.
bool is_int64(const Json& json) {
  return json.is_number_integer() &&
         (!json.is_number_unsigned() || json.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
}

}  // namespace

bool NumberRange::holds(double value) const {
  const bool high_enough = lowest_excluded ? value > lowest : value >= lowest;
  const bool low_enough = highest_excluded ? value < highest : value <= highest;
  return high_enough && low_enough;
}

std::string NumberRange::describe() const {
  if (std::isinf(lowest)) {
    return "";
  }
  if (std::isinf(highest)) {
    return fmt::format("{} {}", lowest_excluded ? " above" : " of at least", lowest);
  }
  std::string text = fmt::format(" from {} to {}", lowest, highest);
  if (lowest_excluded) {
    text += fmt::format(" ({} excluded)", lowest);
  }
  if (highest_excluded) {
    text += fmt::format(" ({} excluded)", highest);
  }
  return text;
}

std::string describe_choice(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (index > 0) {
      text += index + 1 == names.size() ? " or " : ", ";
    }
    text += fmt::format("\"{}\"", names[index]);
  }
  return text;
}

JsonValue::JsonValue(Json whole, JsonOrigin origin)
    : text_(std::make_shared<const Text>(Text{std::move(whole), std::move(origin)})) {
  json_ = &text_->whole;
}

const Json& JsonValue::json() const {
  if (!exists()) {
    fail("missing");
  }
  return *json_;
}

JsonValue JsonValue::member(const std::string& key) const {
  const Json* found = nullptr;
  if (exists()) {
    if (!json_->is_object()) {
      fail_expected("an object");
    }
    const auto entry = json_->find(key);
    const bool is_there = entry != json_->end() && !(text_->origin.null_is_missing && entry->is_null());
    found = is_there ? &*entry : nullptr;
  }
  return {found, join_path(path_, key), text_};
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!json().is_object()) {
    fail_expected("an object");
  }
  std::vector<std::pair<std::string, JsonValue>> members;
  for (const auto& [key, value] : json_->items()) {
    members.emplace_back(key, JsonValue(&value, join_path(path_, key), text_));
  }
  return members;
}

void JsonValue::allow_keys(const std::vector<std::string>& known, std::string_view reason) const {
  for (const auto& [key, value] : members()) {
    if (std::ranges::find(known, key) != known.end()) {
      continue;
    }
    const auto nearest = nearest_name(key, known);
    value.fail_at_key(fmt::format("{}{}", reason, nearest ? fmt::format("; did you mean `{}`?", *nearest) : ""));
  }
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!json().is_array()) {
    fail_expected("a list");
  }
  std::vector<JsonValue> elements;
  elements.reserve(json_->size());
  for (const Json& element : *json_) {
    elements.push_back({&element, fmt::format("{}[{}]", path_, elements.size()), text_});
  }
  return elements;
}

std::vector<JsonValue> JsonValue::elements(std::size_t count) const {
  auto found = elements();
  if (found.size() != count) {
    fail(fmt::format("expected a list of {}, got one of {}", count, found.size()));
  }
  return found;
}

std::string JsonValue::text() const {
  if (!json().is_string()) {
    fail_expected("a string");
  }
  return json_->get<std::string>();
}

bool JsonValue::boolean() const {
  if (!json().is_boolean()) {
    fail_expected("true or false");
  }
  return json_->get<bool>();
}

double JsonValue::number(const NumberRange& range) const {
  const bool fits = json().is_number() && std::isfinite(json_->get<double>()) && range.holds(json_->get<double>());
  if (!fits) {
    fail_expected("a number" + range.describe());
  }
  return json_->get<double>();
}

std::int64_t JsonValue::integer(const NumberRange& range) const {
  const bool fits = is_int64(json()) && range.holds(static_cast<double>(json_->get<std::int64_t>()));
  if (!fits) {
    fail_expected("an integer" + range.describe());
  }
  return json_->get<std::int64_t>();
}

std::int64_t JsonValue::signed_integer(std::int64_t lowest, std::int64_t highest) const {
  if (!is_int64(json()) || json_->get<std::int64_t>() < lowest || json_->get<std::int64_t>() > highest) {
    fail_expected(fmt::format("an integer from {} to {}", lowest, highest));
  }
  return json_->get<std::int64_t>();
}

std::uint64_t JsonValue::unsigned_integer(std::uint64_t highest) const {
  if (!json().is_number_unsigned() || json_->get<std::uint64_t>() > highest) {
    fail_expected(fmt::format("an integer from 0 to {}", highest));
  }
  return json_->get<std::uint64_t>();
}

std::size_t JsonValue::choice(const std::vector<std::string>& names) const {
  const std::string expected = describe_choice(names);
  if (!json().is_string()) {
    fail_expected(expected);
  }
  const auto& name = json_->get_ref<const std::string&>();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  const auto nearest = nearest_name(name, names);
  fail(fmt::format("expected {}, got {}{}", expected, describe_value(*json_),
                   nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : ""));
}

void JsonValue::require_one_of(const std::vector<Json>& supported) const {
  if (!exists() || std::ranges::find(supported, *json_) != supported.end()) {
    return;
  }
  std::string expected;
  for (const Json& value : supported) {
    expected += (expected.empty() ? "" : " or ") + value.dump();
  }
  fail(fmt::format("{} is not supported; expected {}", describe_value(*json_), expected));
}

void JsonValue::fail(std::string_view reason) const {
  const auto& [name, document, raise, null_is_missing] = text_->origin;
  fail_in(document != nullptr ? document->describe(document->position_of_value(path_)) : name, reason);
}

void JsonValue::fail_at_key(std::string_view reason) const {
  const auto& [name, document, raise, null_is_missing] = text_->origin;
  fail_in(document != nullptr ? document->describe(document->position_of_key(path_)) : name, reason);
}

void JsonValue::fail_in(const std::string& place, std::string_view reason) const {
  std::string message = place;
  if (!path_.empty()) {
    message += (message.empty() ? "" : ": ") + shown(path_);
  }
  message += fmt::format("{}{}", message.empty() ? "" : ": ", reason);
  text_->origin.raise(message);
  std::abort();  // not reached: it throws
}

void JsonValue::fail_expected(std::string_view expected) const {
  fail(fmt::format("expected {}, got {}", expected, describe_value(json())));
}

}  // namespace translate

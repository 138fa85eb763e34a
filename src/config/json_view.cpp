#include "translate/config/json_view.h"

#include <fmt/format.h>

#include "translate/core/error.h"

namespace translate {

JsonView JsonView::member(const std::string& key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) throw DataError(fmt::format("{} is missing", join_path(path_, key)));
  return JsonView(*found, join_path(path_, key));
}

std::vector<JsonView> JsonView::elements() const {
  if (!value_->is_array()) fail("a list");
  std::vector<JsonView> elements;
  elements.reserve(value_->size());
  for (const Json& element : *value_) elements.emplace_back(element, fmt::format("{}[{}]", path_, elements.size()));
  return elements;
}

std::vector<JsonView> JsonView::elements(std::size_t count) const {
  if (!value_->is_array() || value_->size() != count) fail(fmt::format("a list of {}", count));
  return elements();
}

std::string JsonView::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->get<std::string>();
}

bool JsonView::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

std::int64_t JsonView::signed_integer(std::int64_t lowest, std::int64_t highest) const {
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  if (!fits || value_->get<std::int64_t>() < lowest || value_->get<std::int64_t>() > highest) {
    fail(fmt::format("an integer from {} to {}", lowest, highest));
  }
  return value_->get<std::int64_t>();
}

std::uint64_t JsonView::unsigned_integer(std::uint64_t highest) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > highest) {
    fail(fmt::format("an integer from 0 to {}", highest));
  }
  return value_->get<std::uint64_t>();
}

void JsonView::fail(const std::string& expected) const {
  throw DataError(
      fmt::format("{}expected {}, found {}", path_.empty() ? "" : path_ + ": ", expected, describe_value(*value_)));
}

}  // namespace translate

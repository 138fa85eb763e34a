#include "serving/models/model_naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "data/language_names.h"
#include "serving/models/served_model.h"

namespace translate {

namespace {

bool is_code(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

/// Gives one side of all directions another code if all have the same one there; otherwise keeps the directions that
/// have the given one.
void name_side(std::vector<Direction>& directions, std::string Direction::*side, const std::string& given) {
  if (given.empty()) {
    return;
  }
  const auto first = directions.front().*side;
  if (std::ranges::all_of(directions, [&](const Direction& direction) { return direction.*side == first; })) {
    for (auto& direction : directions) {
      direction.*side = given;
    }
  } else {
    std::erase_if(directions,
                  [&](const Direction& direction) { return !is_same_language_code(direction.*side, given); });
  }
}

}  // namespace

NamedModel read_named_model(const std::string& text) {
  NamedModel model{.name = text};
  const auto end = text.find('=');
  const auto colon = text.find(':');
  if (end != std::string::npos && colon < end && is_code(std::string_view(text).substr(0, colon)) &&
      is_code(std::string_view(text).substr(colon + 1, end - colon - 1))) {
    model = {.name = text.substr(end + 1),
             .languages = {.source = text.substr(0, colon), .target = text.substr(colon + 1, end - colon - 1)}};
  }
  if (model.name.empty()) {
    throw ConfigError(fmt::format("--model {}: the name of the model is missing", text));
  }
  return model;
}

std::vector<Direction> named_directions(std::vector<Direction> directions, const GivenLanguages& given,
                                        const std::string& model) {
  const auto all = directions_text(directions);
  const auto name = [&](std::string Direction::*side, const std::string& code, const char* word) {
    name_side(directions, side, code);
    if (directions.empty()) {
      throw ConfigError(fmt::format("{} does not translate {} {}: it translates {}", model, word, code, all));
    }
  };
  name(&Direction::source, given.source, "from");
  name(&Direction::target, given.target, "to");
  return directions;
}

}  // namespace translate
